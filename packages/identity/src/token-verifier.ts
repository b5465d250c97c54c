import { AppError } from '@tocsin/kit';
import { decodeJwt, errors, type JWTVerifyGetKey, type JWTVerifyResult, jwtVerify } from 'jose';
import { invalidToken } from './bearer-token.js';
import type { Principal } from './principal.js';
import { deploymentRolesFrom, workspaceRolesFrom } from './roles-from-claims.js';
import type { TrustedIssuer } from './settings.js';
import { whyNotAnAccessToken } from './token-claims.js';

export interface TokenVerifierDeps {
  issuers: readonly TrustedIssuer[];
  keysOf(issuer: string): JWTVerifyGetKey;
  /** The wall clock. */
  currentDate(): Date;
}

export interface VerifiedToken {
  principal: Principal;
  expiresAtMs: number;
}

/** @throws AppError `unauthenticated`, or `unavailable` while the issuer's keys cannot be had. */
export type VerifyToken = (token: string) => Promise<VerifiedToken>;

const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'];
const leewaySeconds = 30;

/** Checks a JWT access token (RFC 9068, and providers older than it) of one of the trusted issuers. */
export function createTokenVerifier({ issuers, keysOf, currentDate }: TokenVerifierDeps): VerifyToken {
  const trusted = new Map(
    issuers.map((issuer) => [issuer.issuer, { ...issuer, keys: keysOf(issuer.issuer) }]),
  );
  return async (token) => {
    const issuer = trusted.get(readIssuer(token));
    if (!issuer) throw invalidToken('is from an issuer that is not trusted here');
    const { payload, protectedHeader } = await verify(token, issuer.keys, {
      issuer: issuer.issuer,
      audience: issuer.audience,
      algorithms,
      clockTolerance: leewaySeconds,
      requiredClaims: ['exp', 'sub'],
      currentDate: currentDate(),
    });
    const objection = whyNotAnAccessToken(protectedHeader, payload);
    if (objection) throw invalidToken(objection);
    return { principal: toPrincipal(payload, issuer), expiresAtMs: (payload.exp as number) * 1000 };
  };
}

/** Only chooses whose keys and rules to check with; nothing of it is believed before that. */
function readIssuer(token: string): string {
  try {
    return decodeJwt(token).iss ?? '';
  } catch (cause) {
    throw invalidToken('is not a JWT', cause);
  }
}

async function verify(
  token: string,
  keys: JWTVerifyGetKey,
  rules: Parameters<typeof jwtVerify>[2],
): Promise<JWTVerifyResult> {
  try {
    return await jwtVerify(token, keys, rules);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw invalidToken(explain(error), error);
  }
}

function explain(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'has expired';
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === 'aud') return 'is for another audience';
    if (error.claim === 'nbf') return 'is not valid yet';
    return /^\w{1,20}$/.test(error.claim) ? `has no usable claim ${error.claim}` : 'has no usable claims';
  }
  if (error instanceof errors.JOSEAlgNotAllowed) return 'is signed with an algorithm that is not allowed';
  return 'has no valid signature';
}

function toPrincipal(claims: Record<string, unknown>, issuer: TrustedIssuer): Principal {
  const { issuer: name, workspaces, groupsClaim, rolesClaim } = issuer;
  const subject = claims.sub as string;
  const roles = workspaceRolesFrom(claims, groupsClaim);
  const bound = workspaces === 'all' ? roles : new Map([...roles].filter(([id]) => workspaces.has(id)));
  return {
    issuer: name,
    subject,
    display: displayName(claims) ?? subject,
    workspaceRoles: bound,
    deploymentRoles: workspaces === 'all' ? deploymentRolesFrom(claims, rolesClaim) : new Set(),
  };
}

function displayName(claims: Record<string, unknown>): string | undefined {
  const names = [claims.preferred_username, claims.name, claims.client_id];
  return names.find(
    (name): name is string => typeof name === 'string' && /^[^\p{Cc}\p{Surrogate}]{1,255}$/u.test(name),
  );
}
