import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startScriptedApi } from './support/scripted-api.js';
import { startScriptedProvider } from './support/scripted-provider.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
/** A temporary project in which the packed package is the only dependency. */
const project = mkdtempSync(join(tmpdir(), 'tocsin-packed-'));
const installed = join(project, 'node_modules', '@tocsin', 'client');
const run = promisify(execFile);

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

async function execute(command: string, words: string[], env: Record<string, string> = {}): Promise<Outcome> {
  const { PATH = '' } = process.env;
  try {
    return {
      code: 0,
      ...(await run(command, words, { cwd: project, env: { PATH, HOME: project, ...env } })),
    };
  } catch (error) {
    const { code, stdout, stderr } = error as Outcome;
    return { code, stdout, stderr };
  }
}

const node = (words: string[], env?: Record<string, string>) => execute(process.execPath, words, env);
const tocsin = (words: string[], env?: Record<string, string>) =>
  execute(join(project, 'node_modules/.bin/tocsin'), words, env);

beforeAll(async () => {
  const packed = await run('npm', ['pack', '--json', '--silent', '--pack-destination', project], {
    cwd: join(root, 'packages/client'),
  });
  expect(packed.stderr).not.toMatch(/error/i);
  const tarball = readdirSync(project).find((name) => name.endsWith('.tgz')) ?? '';
  writeFileSync(join(project, 'package.json'), '{"private":true,"type":"module"}');
  await run('npm', ['install', `./${tarball}`, '--prefer-offline', '--no-audit', '--no-fund'], {
    cwd: project,
  });
}, 180_000);
afterAll(() => rmSync(project, { recursive: true }));

test('the package contains no files of other npm workspaces and does not import them', () => {
  expect(readdirSync(join(project, 'node_modules', '@tocsin'))).toEqual(['client']);
  const files = readdirSync(installed, { recursive: true, encoding: 'utf8' });
  // Files of the Java example are excluded from the check, because Maven requires a folder src.
  const own = files.filter((file) => !file.startsWith('examples/java/'));
  expect(own.filter((file) => /test|\/build\/|\.map$|(^|\/)src\//.test(file))).toEqual([]);
  for (const file of files.filter((name) => /\.(js|d\.ts)$/.test(name))) {
    expect(readFileSync(join(installed, file), 'utf8')).not.toMatch(/from ['"]@tocsin\//);
  }
});

test('the TypeScript compiler accepts a project that uses the package', async () => {
  const consumer = `
    import { createPlatformClient, ClientCredentialsSession, NotFoundError, type Delivery } from '@tocsin/client';
    const credential = new ClientCredentialsSession({ issuer: 'https://x', clientId: 'a', clientSecret: 'b' });
    const client = createPlatformClient({ url: 'https://y', credential, workspaceId: 'w' });
    export async function failed(): Promise<Delivery[]> {
      const found: Delivery[] = [];
      for await (const delivery of client.deliveries.list({ status: 'failed' })) found.push(delivery);
      return found;
    }
    // @ts-expect-error 'lost' is not a status
    client.deliveries.list({ status: 'lost' });
    // @ts-expect-error a webhook needs a body
    void client.webhooks.create({ name: 'a', url: 'b' });
    export const missing = (error: unknown): boolean => error instanceof NotFoundError && error.code === 'not_found';
  `;
  writeFileSync(join(project, 'consumer.ts'), consumer);
  const flags = [
    '--strict',
    '--noEmit',
    '--target',
    'es2023',
    '--module',
    'nodenext',
    '--exactOptionalPropertyTypes',
  ];
  const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
  expect(
    await node([join(root, 'node_modules/typescript/bin/tsc'), ...flags, ...types, 'consumer.ts']),
  ).toEqual({
    code: 0,
    stdout: '',
    stderr: '',
  });
});

test('the tocsin command of the packed npm package runs', async () => {
  const version = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')).version;
  expect(await tocsin(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  expect(await tocsin(['webhooks', 'list'])).toMatchObject({ code: 2, stdout: '' });
  writeFileSync(join(project, 'body.j2'), '{"v": {{ metric_value | round(1) }}}');
  writeFileSync(join(project, 'alert.json'), '{"metric_value": 0.46}');
  expect(await tocsin(['render', 'body.j2', '--context', 'alert.json'])).toMatchObject({
    stdout: '{"v": 0.5}\n',
  });
});

test('the browser entry of the packed npm package can be imported', async () => {
  const program = `
    import { createPlatformClient } from '@tocsin/client/browser';
    const client = createPlatformClient({ url: 'https://y', token: async () => 't', workspaceId: 'w' });
    console.log(Object.keys(client).includes('deliveries'));
  `;
  expect(await node(['--input-type=module', '--eval', program])).toMatchObject({ code: 0, stdout: 'true\n' });
  expect(readFileSync(join(installed, 'dist/bundle/browser.js'), 'utf8')).not.toMatch(/^import /m);
});

test('bash completion works with the tocsin command of the packed npm package', async () => {
  const script = `
    source <(tocsin completion bash)
    COMP_WORDS=(tocsin deliveries list --status s); COMP_CWORD=4; _tocsin; echo "\${COMPREPLY[*]}"
    COMP_WORDS=(tocsin ""); COMP_CWORD=1; _tocsin; echo "\${#COMPREPLY[@]}"
  `;
  const { PATH = '' } = process.env;
  const { stdout } = await execute('bash', ['-c', script], { PATH: `${project}/node_modules/.bin:${PATH}` });
  expect(stdout).toMatch(/^sending succeeded skipped\n1\d\n$/);
});

describe('a command that runs until it is stopped', () => {
  const env = (url: string) => ({
    TOCSIN_API_URL: url,
    TOCSIN_TOKEN: 't',
    TOCSIN_WORKSPACE: 'w',
    HOME: project,
  });
  const start = (url: string, words: string[]) =>
    spawn(process.execPath, [join(installed, 'dist/bundle/tocsin.js'), ...words], { env: env(url) });

  test('a command that runs until it is stopped exits with 130 after Ctrl-C', async () => {
    const api = await startScriptedApi();
    api.script({ body: [] }, { hang: true });
    const tail = start(api.url, ['deliveries', 'tail']);
    while (api.seen.length < 2) await delay(5);
    tail.kill('SIGINT');
    expect(await once(tail, 'exit')).toEqual([130, null]);
    await api.close();
  });

  test('a command ends without an error when the reader of its output closes the pipe', async () => {
    const api = await startScriptedApi();
    const rows = Array.from({ length: 200 }, (_, index) => ({
      id: String(index),
      message: 'x'.repeat(2_000),
    }));
    api.script({ body: rows });
    const list = start(api.url, ['dead-letters', 'list', '--limit', '200', '--json']);
    list.stdout.once('data', () => list.stdout.destroy());
    const errors: string[] = [];
    list.stderr.on('data', (text: Buffer) => errors.push(text.toString()));
    expect(await once(list, 'exit')).toEqual([0, null]);
    expect(errors).toEqual([]);
    await api.close();
  });
});

test('threads that share a session cause one token request', async () => {
  const provider = await startScriptedProvider();
  const program = `
    import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
    import { ClientCredentialsSession, receiveSession, shareSession } from '@tocsin/client';
    if (isMainThread) {
      const session = new ClientCredentialsSession({ issuer: process.argv[2], clientId: 'a', clientSecret: 'b' });
      const tokens = await Promise.all([1, 2, 3].map(() => new Promise((resolve, reject) => {
        const port = shareSession(session);
        new Worker(new URL(import.meta.url), { workerData: port, transferList: [port] })
          .once('message', resolve).once('error', reject);
      })));
      console.log(tokens.join());
    } else {
      const session = receiveSession(workerData);
      const tokens = await Promise.all(Array.from({ length: 100 }, () => session.token()));
      parentPort.postMessage([...new Set(tokens)].join('+'));
    }
  `;
  writeFileSync(join(project, 'threads.mjs'), program);
  expect(await node(['threads.mjs', provider.issuer])).toMatchObject({ code: 0, stdout: 't1,t1,t1\n' });
  expect(provider.calls).toHaveLength(1);
  await provider.close();
});

test('the example monitor fires one alert each time a value crosses a threshold', async () => {
  const [provider, api] = [await startScriptedProvider(), await startScriptedApi()];
  const values = [0.3, 0.4, 0.41, 0.9, 0.4, 0.1, 0.09, 0.3, 0.42, '', 'NaN'];
  const rows = values.map((value, index) => `2026-01-01T00:00:${String(index).padStart(2, '0')}Z,x,${value}`);
  writeFileSync(join(project, 'metrics.csv'), `time,model,value\r\n${rows.join('\r\n')}`);
  const [above, below, model] = [randomUUID(), randomUUID(), randomUUID()];
  const rules = ['--above', `0.4=${above}`, '--below', `0.1=${below}`];
  const monitor = join(installed, 'examples/csv-monitor.mjs');
  const result = await node([monitor, 'metrics.csv', '--once', '--model-id', model, ...rules], {
    TOCSIN_API_URL: api.url,
    TOCSIN_ISSUER: provider.issuer,
    TOCSIN_CLIENT_ID: 'a',
    TOCSIN_CLIENT_SECRET: 'b',
    TOCSIN_WORKSPACE: 'w',
  });
  expect(result).toMatchObject({ code: 0, stderr: expect.stringMatching(/^(Skipped: .+\n){2}$/) });
  const fired = api.seen.map(({ body }) => JSON.parse(body));
  expect(fired.map(({ metric_value, alert_rule_id }) => [metric_value, alert_rule_id])).toEqual([
    [0.41, above],
    [0.09, below],
    [0.42, above],
  ]);
  expect(fired[0]).toMatchObject({
    fired_at: '2026-01-01T00:00:02.000Z',
    threshold: 0.4,
    bound: 'upper_bound',
    model_id: model,
  });
  await Promise.all([provider.close(), api.close()]);
});
