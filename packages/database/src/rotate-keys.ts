import { type OnRotated, parallelDays, rotateKeys } from './rotate-keys-repository.js';
import { runCommand } from './run-command.js';
import { createSecretBox, parseSecretKeys } from './secret-box.js';

const progressMs = 5_000;

/** Operators run this program after they put a new key first in SECRETS_KEYS. The old keys can be removed afterwards. */
await runCommand({
  name: 'The key rotation',
  applicationName: 'tocsin-rotate-keys',
  env: process.env,
  poolSize: parallelDays,
  readSettings: (read) => ({ keys: read.secret('SECRETS_KEYS') }),
  async run(database, { keys }, print) {
    const secrets = createSecretBox(parseSecretKeys(keys.reveal()));
    const rotated = await rotateKeys(database, secrets, reportEvery(progressMs, print));
    const counts = Object.entries(rotated).map(([table, rows]) => `${rows} ${table}`);
    return [`Encrypted ${counts.join(' and ')} with the current key.`];
  },
});

/** Prints the number of finished rows and the rate at most once every `everyMs` milliseconds. */
function reportEvery(everyMs: number, print: (line: string) => void): OnRotated {
  const startedAtMs = performance.now();
  let nextMs = startedAtMs + everyMs;
  let total = 0;
  const done: Record<string, number> = {};
  return (table, rows) => {
    total += rows - (done[table] ?? 0);
    done[table] = rows;
    const nowMs = performance.now();
    if (nowMs < nextMs) return;
    nextMs = nowMs + everyMs;
    const perSecond = Math.round((total * 1_000) / (nowMs - startedAtMs));
    print(`${rows} ${table} so far, ${perSecond} rows a second.`);
  };
}
