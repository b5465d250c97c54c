import { type RotationProgress, rotateKeys, rotationConnections } from './rotate-keys-repository.js';
import { runCommand } from './run-command.js';
import { createSecretBox, parseSecretKeys, readSecretsKeys } from './secret-box.js';

const progressMs = 5_000;

/**
 * Operators run this program after they have added a new key at the start of SECRETS_KEYS. After the program has
 * succeeded, the old keys are needed only for archives and older dumps.
 */
await runCommand({
  name: 'The key rotation',
  applicationName: 'tocsin-rotate-keys',
  env: process.env,
  poolSize: rotationConnections,
  readSettings: (read) => ({ keys: readSecretsKeys(read) }),
  async run(database, { keys }, print) {
    const secretBox = createSecretBox(parseSecretKeys(keys.reveal()));
    const rotated = await rotateKeys(database, secretBox, reportEvery(progressMs, print));
    const counts = Object.entries(rotated).map(([table, rows]) => `${rows} ${table}`);
    return [`Encrypted ${counts.join(' and ')} with the current key.`];
  },
});

/**
 * Returns a function that prints the finished rows, the rate, the remaining rows and the remaining time. It prints at
 * most once in `everyMs` milliseconds.
 */
function reportEvery(everyMs: number, print: (line: string) => void): (progress: RotationProgress) => void {
  const startedAtMs = performance.now();
  let nextMs = startedAtMs + everyMs;
  let total = 0;
  const done: Record<string, number> = {};
  return ({ table, rows, read, left }) => {
    total += rows - (done[table] ?? 0);
    done[table] = rows;
    const nowMs = performance.now();
    if (nowMs < nextMs) return;
    nextMs = nowMs + everyMs;
    const seconds = (nowMs - startedAtMs) / 1_000;
    const minutesLeft = Math.ceil((left / Math.max(read, 1)) * (seconds / 60));
    print(
      `${rows} ${table} so far, ${Math.round(total / seconds)} rows a second; about ${left} rows and ${minutesLeft} min left.`,
    );
  };
}
