import { fileURLToPath } from 'node:url';
import { startProgram } from '@tocsin/testing';

async function run(command: string, env: NodeJS.ProcessEnv) {
  const program = startProgram(fileURLToPath(new URL(`../dist/${command}.js`, import.meta.url)), env);
  const code = await program.ended;
  return { code, output: program.output() };
}

const databaseUrl = 'postgres://nobody@127.0.0.1:1/none';
const required: [command: string, env: NodeJS.ProcessEnv][] = [
  ['migrate', { DATABASE_URL: databaseUrl }],
  ['archive', { DATABASE_URL: databaseUrl, ARCHIVE_DIRECTORY: '/none' }],
  ['restore-archive', { DATABASE_URL: databaseUrl, ARCHIVE_DIRECTORY: '/none' }],
  ['rotate-keys', { DATABASE_URL: databaseUrl, SECRETS_KEYS: 'k1:key' }],
];

test.each(required)(
  'the command %s fails if NODE_TLS_REJECT_UNAUTHORIZED=0 turns off certificate checks',
  async (command, env) => {
    const { code, output } = await run(command, { ...env, NODE_TLS_REJECT_UNAUTHORIZED: '0' });
    expect(code).toBe(1);
    expect(output).toContain('NODE_TLS_REJECT_UNAUTHORIZED=0 is rejected');
  },
);

test.each(required)('the command %s reports all missing variables at once', async (command, env) => {
  const { code, output } = await run(command, {});
  expect(code).toBe(1);
  for (const name of Object.keys(env)) expect(output).toContain(`${name} is required`);
});

test('the command rotate-keys names the variable SECRETS_KEYS if its value is not valid', async () => {
  const { code, output } = await run('rotate-keys', { DATABASE_URL: databaseUrl, SECRETS_KEYS: 'k1:key' });
  expect(code).toBe(1);
  expect(output).toContain('SECRETS_KEYS must be a list of id:key');
});
