import { createHash, timingSafeEqual } from 'node:crypto';
import { hasPermission, type Principal } from '@tocsin/identity';
import { AppError, type Secret } from '@tocsin/kit';
import { parseRawKey } from '../api-keys/raw-key.js';
import { adminKeyCaller, type EngineCaller, jwtCaller, userKeyCaller } from './engine-caller.js';
import type { ValidateKey } from './key-validator.js';

export interface AuthenticateDeps {
  /** The admin key; undefined if none is configured. */
  adminKey: Secret | undefined;
  validateKey: ValidateKey;
  /**
   * Verifies a JWT.
   * @throws AppError `unauthenticated` or `unavailable`
   */
  verifyToken(token: string): Promise<Principal>;
  wait(ms: number): Promise<unknown>;
  /** Monotonic clock in milliseconds. */
  now(): number;
}

export type Authenticate = (input: { authorization: string | undefined }) => Promise<EngineCaller>;

/**
 * Minimum time between the start of a check and the response that rejects the credential, in milliseconds. A database
 * query and bcrypt usually take less, even on a busy machine. The response time is then the same for a malformed key,
 * an unknown id and a wrong secret.
 */
const minRejectionMs = 200;

/**
 * Creates a function that identifies the caller by an `Authorization` header. The credential is checked as the admin
 * key, then as a user key, then as a JWT. The specification of the engine prescribes this order. The function rejects
 * with the AppError `unauthenticated` for an invalid credential, and `unavailable` if the check is not possible now.
 */
export function createAuthenticate(deps: AuthenticateDeps): Authenticate {
  const { wait, now } = deps;
  const check = createCheck(deps);
  return async (input) => {
    const startedAtMs = now();
    try {
      return await check(input);
    } catch (error) {
      if (isRejection(error)) await wait(Math.max(0, startedAtMs + minRejectionMs - now()));
      throw error;
    }
  };
}

function isRejection(error: unknown): boolean {
  return error instanceof AppError && error.code === 'unauthenticated';
}

function createCheck({
  adminKey,
  validateKey,
  verifyToken,
}: Pick<AuthenticateDeps, 'adminKey' | 'validateKey' | 'verifyToken'>): Authenticate {
  const isAdminKey = createAdminKeyCheck(adminKey);
  return async ({ authorization }) => {
    const credential = readCredential(authorization);
    if (isAdminKey(credential)) return adminKeyCaller;
    const rawKey = parseRawKey(credential);
    if (rawKey) {
      if (await validateKey(rawKey)) return userKeyCaller(rawKey.id);
      throw notValid();
    }
    if (!isJwtShaped(credential)) throw notValid();
    const principal = await verifyToken(credential);
    return jwtCaller(principal, hasPermission(principal, 'api_key_manage', null));
  };
}

const maxCredentialLength = 24_576;

/**
 * Returns the credential of an `Authorization` header. The function accepts more characters than RFC 6750, because the
 * admin key can be any text that fits into a header. It does not call `trimEnd`: the HTTP parser has already removed
 * blanks at the end, and `trimEnd` would also remove the byte A0. Node.js decodes this byte as a no-break space, and it
 * can be the last byte of a key, for example of `à` in UTF-8. The error for a header without the scheme `Bearer` names
 * the header.
 */
function readCredential(authorization: string | undefined): string {
  if (!authorization?.match(/^bearer /i)) {
    throw new AppError(
      'unauthenticated',
      'Send a key or an access token in the header Authorization: Bearer.',
    );
  }
  const credential = /^bearer +(\S.*)$/i.exec(authorization)?.[1];
  if (credential === undefined || credential.length > maxCredentialLength) throw notValid();
  return credential;
}

/** Compares digests, so that the response time depends neither on the content nor on the length of the credential. */
function createAdminKeyCheck(adminKey: Secret | undefined): (credential: string) => boolean {
  if (adminKey === undefined) return () => false;
  const expected = sha256(Buffer.from(adminKey.reveal()));
  // Node.js decodes headers as Latin-1, so encoding as Latin-1 restores the bytes that the client sent.
  return (credential) => timingSafeEqual(sha256(Buffer.from(credential, 'latin1')), expected);
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}

function isJwtShaped(credential: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]*$/.test(credential);
}

function notValid(): AppError {
  const challenge = 'Bearer error="invalid_token", error_description="The credential is not valid."';
  return new AppError('unauthenticated', 'The credential is not valid.', {
    headers: { 'WWW-Authenticate': challenge },
  });
}
