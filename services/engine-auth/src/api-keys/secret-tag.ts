import { createHash } from 'node:crypto';
import type { RawKey } from './raw-key.js';

/** A digest of a raw key, under which it is known in memory: never the key itself. */
export function digestOf({ id, secret }: RawKey): Buffer {
  return createHash('sha256').update(`${id}:${secret}`).digest();
}

/**
 * 16 bits of a raw key's digest, kept beside its bcrypt hash: of 65,536 guesses all but one are told from the key
 * without bcrypt, and the 240 bits of the secret that they do not tell are beyond anyone's guessing.
 */
export function secretTag(digest: Buffer): number {
  return digest.readInt16BE();
}
