import { createHash } from 'node:crypto';

export interface RawKey {
  /** A UUID in lower case. */
  id: string;
  /** 32 random bytes in base64url: 43 characters, and bcrypt reads 72 bytes. */
  secret: string;
}

/** Returns base64 of `{id}:{secret}`, the format that users keep (customer's interface, "Internal format"). */
export function formatRawKey({ id, secret }: RawKey): string {
  return Buffer.from(`${id}:${secret}`).toString('base64');
}

const rawKey = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}):([\w-]{43})$/;
const rawKeyLength = 108;

/** Parses the canonical form of a key. Returns undefined for every other text, without bcrypt or database. */
export function parseRawKey(text: string): RawKey | undefined {
  if (text.length !== rawKeyLength) return undefined;
  const [, id, secret] = rawKey.exec(Buffer.from(text, 'base64').toString('latin1')) ?? [];
  if (id === undefined || secret === undefined) return undefined;
  return formatRawKey({ id, secret }) === text ? { id, secret } : undefined;
}

/** Digest of a raw key, for caches: they never hold the key itself. */
export function digestOf({ id, secret }: RawKey): Buffer {
  return createHash('sha256').update(`${id}:${secret}`).digest();
}
