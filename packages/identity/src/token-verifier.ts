import { AppError } from '@tocsin/kit';
import {
  decodeJwt,
  errors,
  type JWTHeaderParameters,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyResult,
  jwtVerify,
} from 'jose';
import type { Principal } from './principal.js';
import { deploymentRolesFrom, workspaceRolesFrom } from './roles-from-claims.js';
import type { TrustedIssuer } from './settings.js';

export interface TokenVerifierDeps {
  issuers: readonly TrustedIssuer[];
  keysOf(issuer: TrustedIssuer): JWTVerifyGetKey;
  /** Current time of the wall clock. */
  currentDate(): Date;
}

export interface VerifiedToken {
  principal: Principal;
  expiresAtMs: number;
}

/**
 * Verifies a token and returns its principal.
 * @throws AppError `unauthenticated`, or `unavailable` while the key of the token is unknown and cannot be fetched
 */
export type VerifyToken = (token: string) => Promise<VerifiedToken>;

const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'];
const leewaySeconds = 30;

/** Verifies JWT access tokens of the trusted issuers. Tokens follow RFC 9068 or the formats of older providers. */
export function createTokenVerifier({ issuers, keysOf, currentDate }: TokenVerifierDeps): VerifyToken {
  const trusted = new Map(issuers.map((issuer) => [issuer.issuer, { ...issuer, keys: keysOf(issuer) }]));
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
    const problem = accessTokenProblem(protectedHeader, payload);
    if (problem) throw invalidToken(problem);
    return { principal: toPrincipal(payload, issuer), expiresAtMs: (payload.exp as number) * 1000 };
  };
}

/**
 * Reads the issuer of a token whose signature is not verified yet. The issuer is used only to choose the keys and rules
 * of the verification.
 */
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
    // In this error, jose names only registered claims, so the message contains no text of the token.
    return `has no usable claim ${error.claim}`;
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
  const names = [claims.preferred_username, claims.name, claims.email, claims.client_id];
  return names.find(
    (name): name is string => typeof name === 'string' && /^[^\p{Cc}\p{Surrogate}]{1,255}$/u.test(name),
  );
}

const accessTokenTypes = new Set(['jwt', 'at+jwt', 'application/at+jwt']);

/**
 * Returns the reason why a token with a valid signature and valid times is not accepted as an access token, or
 * undefined. The reason completes the sentence "The access token …". ID tokens are recognised by their header
 * (`id_token+jwt`), by Keycloak's `typ` claim, and by claims that only ID tokens have (OpenID Connect Core §2).
 */
function accessTokenProblem(header: JWTHeaderParameters, claims: JWTPayload): string | undefined {
  // jose types the header as `JWTHeaderParameters`, but does not check the type of `typ`.
  const { typ = 'JWT' } = header as { typ?: unknown };
  const headerType = typeof typ === 'string' ? typ.toLowerCase() : '';
  if (!accessTokenTypes.has(headerType)) return 'is not an access token';
  const type = claims.typ;
  if (type !== undefined && type !== 'Bearer') return 'is not an access token';
  if ('at_hash' in claims || 'c_hash' in claims) return 'is an ID token';
  // The claim `nonce` alone does not identify an ID token: old versions of Keycloak copy it into access tokens. These
  // access tokens have the claim `typ` with the value `Bearer`.
  const isDeclared = headerType !== 'jwt' || type === 'Bearer';
  if ('nonce' in claims && !isDeclared) return 'is an ID token';
  // A token that is bound to a key must not be accepted as a bearer token (RFC 8705, RFC 9449).
  if ('cnf' in claims) return 'is bound to a key';
  if (!isSubject(claims.sub)) return 'has no usable subject';
  return undefined;
}

/**
 * Returns true for a valid subject. OpenID Connect Core §2 limits subjects to 255 characters. Control characters are
 * rejected, because subjects are stored and logged.
 */
function isSubject(subject: unknown): boolean {
  return typeof subject === 'string' && /^[^\p{Cc}\p{Surrogate}]{1,255}$/u.test(subject);
}

/**
 * Maximum length of a token in characters. It is enough for the groups of a few hundred workspaces, and below the HTTP
 * server's limit for headers.
 */
const maxTokenLength = 24_576;

/**
 * Reads the token of an `Authorization: Bearer …` header (RFC 6750 §2.1). The error for a request without a bearer token,
 * for example with another scheme, names the header, and its challenge has no error code (§3.1).
 * @throws AppError `unauthenticated`
 */
export function readBearerToken(authorization: string | undefined): string {
  if (!authorization?.match(/^bearer /i)) {
    throw new AppError('unauthenticated', 'Send an access token in the header Authorization: Bearer.');
  }
  const token = /^bearer +([\w.~+/-]+=*) *$/i.exec(authorization)?.[1];
  if (token === undefined || token.length > maxTokenLength) throw invalidToken('is malformed');
  return token;
}

/**
 * Creates the error for an invalid token.
 * @param predicate completes "The access token …"; the caller sees it in the body and in `WWW-Authenticate` (RFC 6750
 *   §3)
 */
function invalidToken(predicate: string, cause?: unknown): AppError {
  const detail = `The access token ${predicate}.`;
  const challenge = `Bearer error="invalid_token", error_description="${detail}"`;
  return new AppError('unauthenticated', detail, { cause, headers: { 'WWW-Authenticate': challenge } });
}
