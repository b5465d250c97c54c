import { rotateKeys } from './rotate-keys-repository.js';
import { runCommand } from './run-command.js';
import { createSecretBox, parseSecretKeys } from './secret-box.js';

/** Run it after a new key was put first in SECRETS_KEYS. The old keys can be removed afterwards. */
await runCommand({
  name: 'The key rotation',
  applicationName: 'tocsin-rotate-keys',
  env: process.env,
  readSettings: (read) => ({ keys: read.secret('SECRETS_KEYS') }),
  async run(database, { keys }) {
    const rotated = await rotateKeys(database, createSecretBox(parseSecretKeys(keys.reveal())));
    const counts = Object.entries(rotated).map(([table, rows]) => `${rows} ${table}`);
    return [`Encrypted ${counts.join(' and ')} with the current key.`];
  },
});
