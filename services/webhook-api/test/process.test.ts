import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Program, startProgram } from '@tocsin/testing';
import { createTestBroker } from '@tocsin/testing/broker';
import { createTestDatabase, type TestDatabase } from '@tocsin/testing/database';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));

let database: TestDatabase;
let settings: Record<string, string>;
const children: ChildProcess[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
  settings = {
    HOST: '127.0.0.1',
    PORT: '0',
    METRICS_PORT: '0',
    DATABASE_URL: database.url,
    AMQP_URL: (await createTestBroker()).url,
    OIDC_ISSUER: process.env.TOCSIN_TEST_OIDC_ISSUER ?? '',
    SECRETS_KEYS: `hunter2:${Buffer.alloc(32, 9).toString('base64')}`,
  };
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(() => database.drop());

function start(env: Record<string, string>): Program {
  const program = startProgram(main, env);
  children.push(program.child);
  return program;
}

test('the service starts, stops on SIGTERM and logs no secret', async () => {
  const service = start(settings);
  await service.untilOutput('service.started');
  service.child.kill('SIGTERM');
  expect(await service.ended).toBe(0);
  expect(service.output()).toContain('service.stopped');
  expect(service.output()).not.toMatch(/hunter2|CQkJCQ/);
  expect(service.output()).not.toContain(new URL(settings.DATABASE_URL ?? '').password);
});

test('the service starts while database, broker and identity provider are unavailable', async () => {
  const unavailable = {
    DATABASE_URL: 'postgres://127.0.0.1:1/x',
    AMQP_URL: 'amqp://127.0.0.1:1',
    OIDC_ISSUER: 'http://127.0.0.1:1',
  };
  const service = start({ ...settings, ...unavailable });
  await service.untilOutput('service.started');
  service.child.kill('SIGTERM');
  expect(await service.ended).toBe(0);
});

test('a start without settings fails and lists all required settings', async () => {
  const service = start({ PORT: 'many' });
  expect(await service.ended).toBe(1);
  for (const name of ['PORT', 'DATABASE_URL', 'AMQP_URL', 'OIDC_ISSUER', 'SECRETS_KEYS']) {
    expect(service.output()).toContain(`- ${name} `);
  }
});

test('a start on a port that is in use fails, and the output names the port', async () => {
  const first = start(settings);
  await first.untilOutput('service.started');
  const port = /"url":"http:\/\/127\.0\.0\.1:(\d+)"/.exec(first.output())?.[1];
  expect(port).toBeDefined();
  const second = start({ ...settings, PORT: port ?? '' });
  expect(await second.ended).toBe(1);
  expect(second.output()).toContain(`Cannot listen on 127.0.0.1:${port}`);
});
