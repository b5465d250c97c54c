import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Where a sealed value stands. It is authenticated with the value, so that no value can be moved elsewhere. */
export interface Place {
  table: string;
  id: string;
  column: string;
}

/** Seals what may hold credentials (AES-256-GCM, NIST SP 800-38D). */
export interface SecretBox {
  seal(plain: string | Buffer, place: Place): Buffer;
  /** Throws where the key is unknown, or the value was changed or moved. */
  open(sealed: Buffer, place: Place): Buffer;
  /** True where `sealed` was not made with the current key. */
  isStale(sealed: Buffer): boolean;
}

export interface SecretKey {
  /** 1 to 255 ASCII characters; stored in front of every value. */
  id: string;
  /** 32 bytes. */
  key: Buffer;
}

const nonceBytes = 12;
const tagBytes = 16;

/** The first key seals; all of them open. Layout: id length (1), id, nonce (12), tag (16), ciphertext. */
export function createSecretBox(keys: [SecretKey, ...SecretKey[]]): SecretBox {
  const byId = new Map(keys.map((entry) => [entry.id, entry.key]));
  const current = keys[0];
  const nextNonce = createNonces();
  const header = Buffer.concat([Buffer.from([current.id.length]), Buffer.from(current.id, 'latin1')]);
  return {
    seal(plain, place) {
      const nonce = nextNonce();
      const cipher = createCipheriv('aes-256-gcm', current.key, nonce).setAAD(associated(place));
      const first = typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain);
      const last = cipher.final();
      return Buffer.concat([header, nonce, cipher.getAuthTag(), first, last]);
    },
    open(sealed, place) {
      const id = keyIdOf(sealed);
      const key = byId.get(id);
      if (key === undefined)
        throw new Error(`A value is sealed with the key ${JSON.stringify(id)}, which is not set.`);
      const start = 1 + id.length;
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(start, start + nonceBytes));
      decipher
        .setAAD(associated(place))
        .setAuthTag(sealed.subarray(start + nonceBytes, start + nonceBytes + tagBytes));
      return Buffer.concat([
        decipher.update(sealed.subarray(start + nonceBytes + tagBytes)),
        decipher.final(),
      ]);
    },
    isStale: (sealed) => keyIdOf(sealed) !== current.id,
  };
}

/** Random nonces, made by the thousand: a call for each costs as much as the sealing of a small value. */
function createNonces(): () => Buffer {
  const noncesAtOnce = 1_000;
  let made = Buffer.alloc(0);
  let next = 0;
  return () => {
    if (next === made.length) {
      made = randomBytes(noncesAtOnce * nonceBytes);
      next = 0;
    }
    next += nonceBytes;
    return made.subarray(next - nonceBytes, next);
  };
}

/** Reads `id:base64` pairs, the current one first, as the variable SECRETS_KEYS has them; throws with a sentence. */
export function parseSecretKeys(text: string): [SecretKey, ...SecretKey[]] {
  const keys = text.split(',').map((pair): SecretKey => {
    const [id, encoded, ...rest] = pair.trim().split(':');
    const key = Buffer.from(encoded ?? '', 'base64');
    const valid = id !== undefined && /^[\w.-]{1,64}$/.test(id) && rest.length === 0 && key.length === 32;
    if (!valid)
      throw new Error('must be a list of id:key, each key 32 bytes in base64, the current one first');
    return { id, key };
  });
  if (new Set(keys.map((key) => key.id)).size !== keys.length) throw new Error('names a key id twice');
  return keys as [SecretKey, ...SecretKey[]];
}

function keyIdOf(sealed: Buffer): string {
  return sealed.subarray(1, 1 + (sealed[0] ?? 0)).toString('latin1');
}

function associated(place: Place): Buffer {
  return Buffer.from(`${place.table}/${place.id}/${place.column}`, 'utf8');
}
