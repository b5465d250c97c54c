import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { prepareDocument } from './prepare-document.js';
import { installSchemathesis } from './schemathesis.js';
import { createResources, fetchToken, howToStart, readStack } from './stack-client.js';

/**
 * `npm run test:fuzz`: sends generated requests to both APIs of a running stack, as an editor and as an admin. Fails if
 * a response has status 5xx, an undocumented status or a body that does not match its schema.
 */
const usage = `npm run test:fuzz -- [--examples N] [--seed N]
  --examples N   generated requests for each operation and role, besides the systematic ones (default 50)
  --seed N       repeats a run (default: a random one, which is printed)
It needs Python 3.10 or later with venv, and a running stack. ${howToStart}`;

const repository = fileURLToPath(new URL('../../../../', import.meta.url));

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});

async function main(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      examples: { type: 'string', default: '50' },
      seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
      help: { type: 'boolean', default: false },
    },
  });
  if (options.help) return console.log(usage);
  const maxExamples = numberOf('--examples', options.examples);
  const seed = numberOf('--seed', options.seed);
  const state = process.env.TOCSIN_STATE ?? join(repository, '.tocsin');
  const folder = join(state, 'fuzz');
  const stack = readStack(join(state, 'stack.json'));
  const schemathesis = installSchemathesis(folder);
  const apis = { 'webhook-api': stack.api_url, 'engine-auth': stack.engine_url };
  const failed: string[] = [];
  for (const role of ['editor', 'admin']) {
    const token = await fetchToken(stack, role);
    const values = await createResources(stack, await fetchToken(stack, 'admin'));
    for (const [service, apiUrl] of Object.entries(apis)) {
      console.log(`\n${service} as ${role}, seed ${seed}`);
      const response = await fetch(`${apiUrl}/openapi.json`);
      const document = join(folder, `${service}.json`);
      mkdirSync(folder, { recursive: true });
      writeFileSync(document, JSON.stringify(prepareDocument((await response.json()) as object, values)));
      if (!(await schemathesis.run({ document, apiUrl, token, maxExamples, seed })))
        failed.push(`${service} as ${role}`);
    }
  }
  if (failed.length > 0) throw new Error(`Failures: ${failed.join(', ')}. Repeat with --seed ${seed}.`);
}

function numberOf(option: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`${option} takes a number, not "${text}".`);
  return Number(text);
}
