import { createHash } from 'node:crypto';

export interface RawKey {
  /** A UUID in lower case. */
  id: string;
  /** 32 random bytes as 43 characters of base64url. bcrypt uses all of them, because its limit is 72 bytes. */
  secret: string;
}

/**
 * Returns base64 of `{id}:{secret}`, the format that the specification of the engine prescribes for keys ("Internal
 * format").
 */
export function formatRawKey({ id, secret }: RawKey): string {
  return Buffer.from(`${id}:${secret}`).toString('base64');
}

const rawKey = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}:[\w-]{43}$/;
const idLength = 36;

/**
 * Parses a key. Returns undefined for every string that `formatRawKey` does not create, so that such a string is
 * rejected without bcrypt and without a database query.
 */
export function parseRawKey(text: string): RawKey | undefined {
  const decoded = Buffer.from(text, 'base64').toString('latin1');
  const key = { id: decoded.slice(0, idLength), secret: decoded.slice(idLength + 1) };
  return rawKey.test(decoded) && formatRawKey(key) === text ? key : undefined;
}

/** Returns the SHA-256 digest of a key, for caches that must not contain the key itself. */
export function digestOf({ id, secret }: RawKey): Buffer {
  return createHash('sha256').update(`${id}:${secret}`).digest();
}
