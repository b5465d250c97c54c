import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import type { EnvReader, Secret } from '@tocsin/kit';

/**
 * The location of an encrypted value: workspace, table, row and column. It is authenticated data, so a value that is
 * moved to another location cannot be decrypted.
 */
export interface SecretLocation {
  /** Workspace of the row; null if the row belongs to no workspace. */
  workspaceId: string | null;
  table: string;
  id: string;
  column: string;
}

/**
 * Encrypts values that can contain credentials (AES-256-GCM, NIST SP 800-38D). With random nonces, one key must not
 * encrypt more than 2^32 values, which takes ten days with 5,000 values a second. Therefore each 1,000 values have a
 * key of their own, derived with HMAC-SHA256 from the key in SECRETS_KEYS and a random salt.
 */
export interface SecretBox {
  encrypt(plain: string | Buffer, location: SecretLocation): Buffer;
  /** @throws Error if the key is unknown, or the value was changed or moved */
  decrypt(encrypted: Buffer, location: SecretLocation): Buffer;
  /** Returns the id of the key that encrypted the value, even if this box does not have the key. */
  keyIdOf(encrypted: Buffer): string;
  usesCurrentKey(encrypted: Buffer): boolean;
  /** Ids of the keys with which this secret box can decrypt. */
  readonly keyIds: readonly string[];
  /** The first bytes of every value that the current key has encrypted. Values of other keys begin with other bytes. */
  readonly currentPrefix: Buffer;
}

export interface SecretKey {
  /** 1 to 255 ASCII characters. The id is stored at the start of every value that the key has encrypted. */
  id: string;
  /** 32 bytes. Values are not encrypted with this key directly, but with keys that are derived from it. */
  key: Buffer;
}

const saltBytes = 12;
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Creates a secret box. The first key encrypts; all keys decrypt. Layout of an encrypted value, with lengths in bytes:
 * length of the key id (1), key id, salt (12), nonce (12), authentication tag (16), ciphertext.
 */
export function createSecretBox(keys: [SecretKey, ...SecretKey[]]): SecretBox {
  const byId = new Map(keys.map((entry) => [entry.id, createDerivedKeys(entry.key)]));
  const current = keys[0];
  const nextNonce = createNonces(current.key);
  const header = Buffer.concat([Buffer.from([current.id.length]), Buffer.from(current.id, 'latin1')]);
  return {
    encrypt(plain, location) {
      const { derivedKey, salt, nonce } = nextNonce();
      const cipher = createCipheriv('aes-256-gcm', derivedKey, nonce).setAAD(authenticatedData(location));
      const text = typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain);
      // `final` returns no bytes here, because GCM has no padding. It is called because it computes the authentication
      // tag.
      cipher.final();
      return Buffer.concat([header, salt, nonce, cipher.getAuthTag(), text]);
    },
    decrypt(encrypted, location) {
      const id = keyIdOf(encrypted);
      const derivedKeys = byId.get(id);
      if (derivedKeys === undefined)
        throw new Error(
          `A value is encrypted with the key ${JSON.stringify(id)}, which is not in SECRETS_KEYS.`,
        );
      const saltStart = 1 + id.length;
      const nonceStart = saltStart + saltBytes;
      const tagStart = nonceStart + nonceBytes;
      const textStart = tagStart + tagBytes;
      const decipher = createDecipheriv(
        'aes-256-gcm',
        derivedKeys(encrypted.subarray(saltStart, nonceStart)),
        encrypted.subarray(nonceStart, tagStart),
        // By default, Node also accepts tags of only 4 bytes. An attacker could guess such a tag.
        { authTagLength: tagBytes },
      )
        .setAAD(authenticatedData(location))
        .setAuthTag(encrypted.subarray(tagStart, textStart));
      return Buffer.concat([decipher.update(encrypted.subarray(textStart)), decipher.final()]);
    },
    keyIdOf,
    usesCurrentKey: (encrypted) => keyIdOf(encrypted) === current.id,
    keyIds: [...byId.keys()],
    currentPrefix: header,
  };
}

/**
 * Returns a function that derives the key for a salt. The last key is cached, because values that were written together
 * have the same salt.
 */
function createDerivedKeys(key: Buffer): (salt: Buffer) => Buffer {
  let latest: { salt: Buffer; derivedKey: Buffer } | undefined;
  return (salt) => {
    if (latest === undefined || !latest.salt.equals(salt))
      latest = { salt: Buffer.from(salt), derivedKey: deriveKey(key, salt) };
    return latest.derivedKey;
  };
}

function deriveKey(key: Buffer, salt: Buffer): Buffer {
  return createHmac('sha256', key).update(salt).digest();
}

const valuesOfSalt = 1_000;

/**
 * Returns a function that returns a random nonce, a salt and the key for this salt. Each salt is used for 1,000 values.
 * A new salt for each value would be slow: deriving a key takes as long as encrypting a small value, and so does one
 * call of `randomBytes`.
 */
function createNonces(key: Buffer): () => { derivedKey: Buffer; salt: Buffer; nonce: Buffer } {
  let salt: Buffer = Buffer.alloc(0);
  let derivedKey = salt;
  let nonces = salt;
  let next = 0;
  return () => {
    if (next === nonces.length) {
      salt = randomBytes(saltBytes);
      derivedKey = deriveKey(key, salt);
      nonces = randomBytes(valuesOfSalt * nonceBytes);
      next = 0;
    }
    next += nonceBytes;
    return { derivedKey, salt, nonce: nonces.subarray(next - nonceBytes, next) };
  };
}

/**
 * Reads the variable SECRETS_KEYS, and reports a problem if it is not valid. The keys stay text, because only a `Secret`
 * is redacted when it is printed.
 */
export function readSecretsKeys(read: EnvReader): Secret {
  const keys = read.secret('SECRETS_KEYS');
  try {
    // `read.secret` has already reported a missing value, which it returns as an empty text.
    if (keys.reveal() !== '') parseSecretKeys(keys.reveal());
  } catch (error) {
    read.problem(`SECRETS_KEYS ${error instanceof Error ? error.message : 'is not valid'}`);
  }
  return keys;
}

/**
 * Parses the variable SECRETS_KEYS: `id:base64` pairs separated by commas, the current key first.
 * @throws Error whose message completes the sentence "SECRETS_KEYS …"
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

/** Returns SQL for the key id of the encrypted value in a column. */
export function keyIdSql(column: string): string {
  return `convert_from(substring(${column} from 2 for get_byte(${column}, 0)), 'LATIN1')`;
}

function authenticatedData({ workspaceId, table, id, column }: SecretLocation): Buffer {
  return Buffer.from(`${workspaceId ?? ''}/${table}/${id}/${column}`, 'utf8');
}
