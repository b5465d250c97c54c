import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { type Program, type ProgramOptions, startProgram } from '@tocsin/testing';
import { createTestDatabase, type TestDatabase } from './support/engine.js';

const main = new URL('../dist/main.js', import.meta.url).pathname;

let database: TestDatabase;
const children: ChildProcess[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function start(env: Record<string, string>, options: ProgramOptions = {}): Program {
  const program = startProgram(main, { PATH: process.env.PATH, ...env }, options);
  children.push(program.child);
  return program;
}

const settings = () => ({
  HOST: '127.0.0.1',
  PORT: '0',
  METRICS_PORT: '0',
  DATABASE_URL: database.url,
  AMQP_URL: process.env.TOCSIN_TEST_AMQP_URL ?? '',
  OIDC_ISSUER: process.env.TOCSIN_TEST_OIDC_ISSUER ?? '',
  GENAI_ENGINE_ADMIN_KEY: 'hunter2',
});

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s ends the service with exit code 0, and the service has not printed the admin key',
  async (signal) => {
    const running = start(settings());
    await running.untilOutput('service.started');
    running.child.kill(signal);
    expect(await running.ended).toBe(0);
    expect(running.output()).toContain('service.stopped');
    expect(running.output()).not.toContain('hunter2');
  },
);

test.each([
  ['123456789012345', true],
  ['1234567890123456', false],
])('a start with the admin key %s logs admin_key.short: %s', async (key, isShort) => {
  const running = start({ ...settings(), GENAI_ENGINE_ADMIN_KEY: key });
  await running.untilOutput('service.started');
  expect(running.output().includes('admin_key.short')).toBe(isShort);
  expect(running.output()).not.toContain(key);
});

test('the service stops when its launcher disconnects', async () => {
  const running = start(settings(), { ipc: true });
  await running.untilOutput('service.started');
  running.child.disconnect();
  expect(await running.ended).toBe(0);
});

test('all invalid settings are reported together', async () => {
  const running = start({ ...settings(), PORT: 'http', DATABASE_URL: '', OIDC_ENTERPRISE_ISSUERS: '{' });
  expect(await running.ended).toBe(1);
  for (const name of ['PORT', 'DATABASE_URL', 'OIDC_ENTERPRISE_ISSUERS']) {
    expect(running.output()).toContain(name);
  }
});

test('a port in use is reported in one fatal log line', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const port = String((taken.address() as AddressInfo).port);
  const running = start({ ...settings(), PORT: port });
  expect(await running.ended).toBe(1);
  taken.close();
  const fatal = running
    .output()
    .split('\n')
    .filter((line) => line.includes('"level":"fatal"'));
  expect(fatal).toHaveLength(1);
  expect(fatal[0]).toContain(`Cannot listen on 127.0.0.1:${port}: another process listens there.`);
  expect(running.output()).not.toContain('    at ');
});

test('if standard output cannot be written, log lines are lost but the service continues', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  await new Promise((resolve) => taken.close(resolve));
  const full = await open('/dev/full', 'w');
  const running = start({ ...settings(), PORT: String(port), LOG_LEVEL: 'debug' }, { stdout: full.fd });
  await full.close();
  const ask = async () => (await fetch(`http://127.0.0.1:${port}/livez`).catch(() => undefined))?.status;
  while ((await ask()) !== 200) {
    if (running.child.exitCode !== null) throw new Error(running.output());
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  // 50 requests log so many lines that several writes to standard output fail.
  for (let count = 0; count < 50; count += 1) expect(await ask()).toBe(200);
  running.child.kill('SIGTERM');
  expect([await running.ended, running.output()]).toEqual([0, '']);
});
