import type { JWTHeaderParameters, JWTPayload } from 'jose';

const accessTokenTypes = new Set(['jwt', 'at+jwt', 'application/at+jwt']);

/**
 * Why a token whose signature and times are good is still not an access token that may be used here, as a predicate
 * of "The access token …". ID tokens are told by their header (`id_token+jwt`), by Keycloak's `typ` claim, and by
 * claims that only ID tokens have (OpenID Connect Core §2).
 */
export function whyNotAnAccessToken(header: JWTHeaderParameters, claims: JWTPayload): string | undefined {
  const headerType = header.typ?.toLowerCase() ?? 'jwt';
  if (!accessTokenTypes.has(headerType)) return 'is not an access token';
  const type = claims.typ;
  if (type !== undefined && type !== 'Bearer') return 'is not an access token';
  if ('at_hash' in claims || 'c_hash' in claims) return 'is an ID token';
  // Older Keycloaks copy `nonce` into access tokens, which say `Bearer`.
  const isDeclared = headerType !== 'jwt' || type === 'Bearer';
  if ('nonce' in claims && !isDeclared) return 'is an ID token';
  // RFC 8705 and 9449: a token bound to a key is not to be taken from a bearer.
  if ('cnf' in claims) return 'is bound to a key';
  if (!isSubject(claims.sub)) return 'has no usable subject';
  return undefined;
}

/** OpenID Connect Core §2: 255 characters; what is stored and logged holds no control characters. */
function isSubject(subject: unknown): boolean {
  return typeof subject === 'string' && /^[^\p{Cc}\p{Surrogate}]{1,255}$/u.test(subject);
}
