import { createDatabase } from './connection.js';
import { resealAll } from './reseal-repository.js';
import { createSecretBox, parseSecretKeys } from './secret-box.js';

/** After a new key was put first in SECRETS_KEYS: seals everything with it, so that the old keys can be dropped. */
const { DATABASE_URL: url, SECRETS_KEYS: keys } = process.env;
if (!url || !keys) {
  process.stderr.write(
    'DATABASE_URL and SECRETS_KEYS must be set, the new key first and the old ones behind it.\n',
  );
  process.exit(1);
}
const database = createDatabase({
  url,
  applicationName: 'tocsin-reseal',
  poolSize: 1,
  statementTimeoutMs: 0,
});
try {
  const { webhooks, attempts } = await resealAll(database, createSecretBox(parseSecretKeys(keys)));
  process.stdout.write(`Sealed ${webhooks} webhooks and ${attempts} attempts with the current key.\n`);
} catch (error) {
  process.stderr.write(`Sealing anew failed: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  await database.close();
}
