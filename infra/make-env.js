import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * `node infra/make-env.js [file]`: writes `.env` from .env.example, with a random value for each empty secret. Only the
 * owner can read the file. An existing file is never changed: stored data cannot be decrypted without its keys.
 */
const root = new URL('../', import.meta.url);
const file = process.argv[2] ?? fileURLToPath(new URL('.env', root));
const example = readFileSync(new URL('.env.example', root), 'utf8');
const text = example.replace(/^([A-Z_]+)=$/gm, (_, name) => `${name}=${makeValue(name)}`);
try {
  writeFileSync(file, text, { flag: 'wx', mode: 0o600 });
  process.stderr.write(`${file} is written. Keep a copy elsewhere.\n`);
} catch (error) {
  if (error.code !== 'EEXIST') throw error;
  process.stderr.write(`${file} exists already and stays as it is. Move it away to make a new one.\n`);
  process.exitCode = 1;
}

function makeValue(name) {
  if (name === 'SECRETS_KEYS') return `k1:${randomBytes(32).toString('base64')}`;
  if (name === 'WORKSPACE_ID') return randomUUID();
  // Letters and digits only, because some secrets are part of a URL.
  return randomBytes(24).toString('hex');
}
