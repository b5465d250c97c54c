import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
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

interface Running {
  child: ChildProcess;
  output: { text: string };
  /** Exit code, or the signal that ended the process. */
  ended: Promise<number | string>;
}

function start(
  env: Record<string, string>,
  { ipc = false, stdout = 'pipe' }: { ipc?: boolean; stdout?: 'pipe' | number } = {},
): Running {
  const child = spawn(process.execPath, [main], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', stdout, 'pipe', ...(ipc ? (['ipc'] as const) : [])],
  });
  children.push(child);
  const output = { text: '' };
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  for (const stream of streams) {
    stream.on('data', (chunk: Buffer) => {
      output.text += chunk.toString();
    });
  }
  // The child's `close` event does not fire after its channel was disconnected from this side.
  const written = Promise.all(streams.map((stream) => once(stream, 'close')));
  const ended = once(child, 'exit').then(async ([code, signal]) => {
    await written;
    return (code ?? signal) as number | string;
  });
  return { child, output, ended };
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

async function started({ output }: Running): Promise<void> {
  while (!output.text.includes('service.started')) await new Promise((resolve) => setTimeout(resolve, 20));
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s ends the service cleanly, and nothing secret was written',
  async (signal) => {
    const running = start(settings());
    await started(running);
    running.child.kill(signal);
    expect(await running.ended).toBe(0);
    expect(running.output.text).toContain('service.stopped');
    expect(running.output.text).not.toContain('hunter2');
  },
);

test('the service stops when its launcher disappears', async () => {
  const running = start(settings(), { ipc: true });
  await started(running);
  running.child.disconnect();
  expect(await running.ended).toBe(0);
});

test('all problems of the settings are reported together', async () => {
  const running = start({ ...settings(), PORT: 'http', DATABASE_URL: '', OIDC_ENTERPRISE_ISSUERS: '{' });
  expect(await running.ended).toBe(1);
  for (const name of ['PORT', 'DATABASE_URL', 'OIDC_ENTERPRISE_ISSUERS']) {
    expect(running.output.text).toContain(name);
  }
});

test('a port in use is reported in one line', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const port = String((taken.address() as AddressInfo).port);
  const running = start({ ...settings(), PORT: port });
  expect(await running.ended).toBe(1);
  taken.close();
  const fatal = running.output.text.split('\n').filter((line) => line.includes('"level":"fatal"'));
  expect(fatal).toHaveLength(1);
  expect(fatal[0]).toContain(`Cannot listen on 127.0.0.1:${port}: another process listens there.`);
  expect(running.output.text).not.toContain('    at ');
});

test('a full disk for standard output loses log lines only', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  await new Promise((resolve) => taken.close(resolve));
  const full = await open('/dev/full', 'w');
  const running = start({ ...settings(), PORT: String(port), LOG_LEVEL: 'debug' }, { stdout: full.fd });
  await full.close();
  const ask = async () => (await fetch(`http://127.0.0.1:${port}/livez`).catch(() => undefined))?.status;
  while ((await ask()) !== 200) {
    if (running.child.exitCode !== null) throw new Error(running.output.text);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  // Enough lines for several writes.
  for (let count = 0; count < 50; count += 1) expect(await ask()).toBe(200);
  running.child.kill('SIGTERM');
  expect([await running.ended, running.output.text]).toEqual([0, '']);
});
