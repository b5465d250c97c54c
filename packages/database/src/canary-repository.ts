import { AppError } from '@tocsin/kit';
import type { Database } from './connection.js';
import type { SecretBox } from './secret-box.js';

const location = { workspaceId: null, table: 'secrets_canary', id: 'canary', column: 'value' };
const value = 'canary';

/**
 * Checks the keys of this process by decrypting the canary, a known value that an earlier process has encrypted.
 * Resolves to true if the canary can be decrypted, and to false if the database has no canary.
 * @throws AppError `unavailable` if the keys do not decrypt the canary; the error of the database if the canary
 *   cannot be read
 */
export async function checkCanary(database: Database, secretBox: SecretBox): Promise<boolean> {
  const [row] = await database.prepared<{ value_encrypted: Buffer }>(readCanary, []);
  if (row === undefined) return false;
  try {
    secretBox.decrypt(row.value_encrypted, location);
    return true;
  } catch (cause) {
    throw new AppError('unavailable', mismatch, { cause });
  }
}

const mismatch = 'SECRETS_KEYS does not contain the key that the values of this database are encrypted with.';

const readCanary = { name: 'secrets.read-canary', text: 'select value_encrypted from secrets_canary' };

/** Writes the canary with the current key, unless one exists. */
export async function writeFirstCanary({ knex }: Database, secretBox: SecretBox): Promise<void> {
  await knex('secrets_canary').insert(canaryRow(secretBox)).onConflict('id').ignore();
}

/** Replaces the canary with one that is encrypted with the current key. */
export async function replaceCanary({ knex }: Database, secretBox: SecretBox): Promise<void> {
  await knex('secrets_canary').insert(canaryRow(secretBox)).onConflict('id').merge();
}

function canaryRow(secretBox: SecretBox) {
  return { id: true, value_encrypted: secretBox.encrypt(value, location) };
}
