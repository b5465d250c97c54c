import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** The cell that an encrypted value belongs to. It is authenticated data: a value that is moved cannot be decrypted. */
export interface SecretLocation {
  table: string;
  id: string;
  column: string;
}

/** Encrypts values that can contain credentials (AES-256-GCM, NIST SP 800-38D). */
export interface SecretBox {
  encrypt(plain: string | Buffer, location: SecretLocation): Buffer;
  /** @throws Error where the key is unknown, or the value was changed or moved. */
  decrypt(encrypted: Buffer, location: SecretLocation): Buffer;
  usesCurrentKey(encrypted: Buffer): boolean;
}

export interface SecretKey {
  /** 1 to 255 ASCII characters; stored in front of every value. */
  id: string;
  /** AES-256 key of 32 bytes. */
  key: Buffer;
}

const nonceBytes = 12;
const tagBytes = 16;

/** The first key encrypts; all keys decrypt. Layout: id length (1 byte), id, nonce (12), tag (16), ciphertext. */
export function createSecretBox(keys: [SecretKey, ...SecretKey[]]): SecretBox {
  const byId = new Map(keys.map((entry) => [entry.id, entry.key]));
  const current = keys[0];
  const nextNonce = createNonces();
  const header = Buffer.concat([Buffer.from([current.id.length]), Buffer.from(current.id, 'latin1')]);
  return {
    encrypt(plain, location) {
      const nonce = nextNonce();
      const cipher = createCipheriv('aes-256-gcm', current.key, nonce).setAAD(authenticatedData(location));
      const first = typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain);
      const last = cipher.final();
      return Buffer.concat([header, nonce, cipher.getAuthTag(), first, last]);
    },
    decrypt(encrypted, location) {
      const id = keyIdOf(encrypted);
      const key = byId.get(id);
      if (key === undefined)
        throw new Error(
          `A value is encrypted with the key ${JSON.stringify(id)}, which is not in SECRETS_KEYS.`,
        );
      const nonceStart = 1 + id.length;
      const tagStart = nonceStart + nonceBytes;
      const textStart = tagStart + tagBytes;
      const decipher = createDecipheriv('aes-256-gcm', key, encrypted.subarray(nonceStart, tagStart))
        .setAAD(authenticatedData(location))
        .setAuthTag(encrypted.subarray(tagStart, textStart));
      return Buffer.concat([decipher.update(encrypted.subarray(textStart)), decipher.final()]);
    },
    usesCurrentKey: (encrypted) => keyIdOf(encrypted) === current.id,
  };
}

/** Random nonces in blocks of 1,000: one call for each nonce costs as much as the encryption of a small value. */
function createNonces(): () => Buffer {
  const noncesInBlock = 1_000;
  let block = Buffer.alloc(0);
  let next = 0;
  return () => {
    if (next === block.length) {
      block = randomBytes(noncesInBlock * nonceBytes);
      next = 0;
    }
    next += nonceBytes;
    return block.subarray(next - nonceBytes, next);
  };
}

/**
 * Parses the variable SECRETS_KEYS: `id:base64` pairs separated by commas, the current key first.
 * @throws Error with a sentence that completes "SECRETS_KEYS …".
 */
export function parseSecretKeys(text: string): [SecretKey, ...SecretKey[]] {
  const keys = text.split(',').map((pair): SecretKey => {
    const [id, encoded, ...rest] = pair.trim().split(':');
    const key = Buffer.from(encoded ?? '', 'base64');
    const valid = id !== undefined && /^[\w.-]{1,64}$/.test(id) && rest.length === 0 && key.length === 32;
    if (!valid)
      throw new Error('must be a list of id:key, each key 32 bytes in base64, the current one first');
    return { id, key };
  });
  if (new Set(keys.map((key) => key.id)).size !== keys.length) throw new Error('has a key id twice');
  return keys as [SecretKey, ...SecretKey[]];
}

function keyIdOf(encrypted: Buffer): string {
  return encrypted.subarray(1, 1 + (encrypted[0] ?? 0)).toString('latin1');
}

function authenticatedData({ table, id, column }: SecretLocation): Buffer {
  return Buffer.from(`${table}/${id}/${column}`, 'utf8');
}
