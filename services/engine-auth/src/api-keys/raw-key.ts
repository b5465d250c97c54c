/** What a raw key holds: whose it is, and the secret that is hashed. */
export interface RawKey {
  /** A UUID in lower case. */
  id: string;
  /** 32 random bytes in base64url: 43 characters, well below the 72 bytes that bcrypt looks at. */
  secret: string;
}

/** The raw key as its holder keeps it: base64 of `{id}:{key}` (the customer's interface, "Internal format"). */
export function formatRawKey({ id, secret }: RawKey): string {
  return Buffer.from(`${id}:${secret}`).toString('base64');
}

const rawKey = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}):([\w-]{43})$/;
const rawKeyLength = 108;

/** Gives nothing for what cannot be a key, at no cost. Only the canonical spelling of a key is a key. */
export function parseRawKey(text: string): RawKey | undefined {
  if (text.length !== rawKeyLength) return undefined;
  const [, id, secret] = rawKey.exec(Buffer.from(text, 'base64').toString('latin1')) ?? [];
  if (id === undefined || secret === undefined) return undefined;
  return formatRawKey({ id, secret }) === text ? { id, secret } : undefined;
}
