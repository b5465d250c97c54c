import { createDatabase } from './connection.js';
import { rotateKeys } from './rotate-keys-repository.js';
import { createSecretBox, parseSecretKeys } from './secret-box.js';

/** Run it after a new key was put first in SECRETS_KEYS. The old keys can be removed afterwards. */
const { DATABASE_URL: url, SECRETS_KEYS: keys } = process.env;
if (!url || !keys) {
  process.stderr.write('DATABASE_URL and SECRETS_KEYS must be set; SECRETS_KEYS lists the new key first.\n');
  process.exit(1);
}
const database = createDatabase({
  url,
  applicationName: 'tocsin-rotate-keys',
  poolSize: 1,
  statementTimeoutMs: 0,
});
try {
  const rotated = await rotateKeys(database, createSecretBox(parseSecretKeys(keys)));
  const counts = Object.entries(rotated).map(([table, rows]) => `${rows} ${table}`);
  process.stdout.write(`Encrypted ${counts.join(' and ')} with the current key.\n`);
} catch (error) {
  process.stderr.write(
    `The key rotation failed: ${error instanceof Error ? error.message : String(error)}\n`,
  );
  process.exitCode = 1;
} finally {
  await database.close();
}
