import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** `node infra/make-env.js > .env`: prints .env.example with a random value for each empty secret. */
const example = readFileSync(new URL('../.env.example', import.meta.url), 'utf8');
process.stdout.write(example.replace(/^([A-Z_]+)=$/gm, (_, name) => `${name}=${makeValue(name)}`));

function makeValue(name) {
  if (name === 'SECRETS_KEYS') return `k1:${randomBytes(32).toString('base64')}`;
  if (name === 'WORKSPACE_ID') return randomUUID();
  // Letters and digits only, because some secrets are part of a URL.
  return randomBytes(24).toString('hex');
}
