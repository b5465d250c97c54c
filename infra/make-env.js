import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** `node infra/make-env.js > .env`: .env.example with each empty secret filled in, at random. */
const example = readFileSync(new URL('../.env.example', import.meta.url), 'utf8');
process.stdout.write(example.replace(/^([A-Z_]+)=$/gm, (_, name) => `${name}=${makeValue(name)}`));

function makeValue(name) {
  if (name === 'SECRETS_KEYS') return `k1:${randomBytes(32).toString('base64')}`;
  if (name === 'WORKSPACE_ID') return randomUUID();
  // Letters and digits, because some of them stand in an address.
  return randomBytes(24).toString('hex');
}
