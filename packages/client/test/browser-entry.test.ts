import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { until } from '@tocsin/testing';
import { build } from 'esbuild';
import type * as browserEntry from '../src/browser.js';
import { type ScriptedApi, startScriptedApi } from './support/scripted-api.js';

const directory = mkdtempSync(join(tmpdir(), 'tocsin-browser-'));
const file = join(directory, 'client.mjs');

let inputs: string[];
let client: typeof browserEntry;
let api: ScriptedApi;
beforeAll(async () => {
  // With the platform "browser", esbuild fails for an import of a Node module.
  const { metafile } = await build({
    entryPoints: [fileURLToPath(new URL('../src/browser.ts', import.meta.url))],
    outfile: file,
    bundle: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['tocsin-source'],
    metafile: true,
    logLevel: 'silent',
  });
  inputs = Object.keys(metafile.inputs);
  client = await import(pathToFileURL(file).href);
});
afterAll(() => rmSync(directory, { recursive: true }));
beforeEach(async () => {
  api = await startScriptedApi();
});
afterEach(() => api.close());

const platform = (token: browserEntry.Session['token'], options: object = {}) =>
  client.createPlatformClient({ url: api.url, workspaceId: 'w', token, ...options });

test('the browser bundle contains no Node modules and no third-party packages', () => {
  expect(inputs.filter((input) => input.includes('node_modules'))).toEqual([]);
  const code = readFileSync(file, 'utf8');
  const imported = [...code.matchAll(/\b(?:from|require\(|import\()\s*["']([^"']+)["']/g)].map(
    ([, name]) => name,
  );
  expect(imported).toEqual([]);
  expect(code).not.toMatch(/\b(Buffer|process)\b/);
  for (const name of builtinModules) expect(code).not.toContain(`"node:${name}"`);
  expect(code.length).toBeLessThan(40_000);
});

test('a browser client sends the token of its token function and reads all pages of a list', async () => {
  api.script(
    { body: [{ id: 'a' }], headers: { link: '</x?cursor=c>; rel="next"' } },
    { body: [{ id: 'b' }] },
  );
  const webhooks = await platform(async () => 't1')
    .webhooks.list({ name: 'a b', limit: 1 })
    .toArray();
  expect(webhooks.map(({ id }) => id)).toEqual(['a', 'b']);
  expect(api.seen.map(({ url }) => url)).toEqual([
    '/api/v1/workspaces/w/webhooks?name=a+b&limit=1',
    '/api/v1/workspaces/w/webhooks?name=a+b&limit=1&cursor=c',
  ]);
  expect(api.seen[0]).toMatchObject({ method: 'GET', headers: { authorization: 'Bearer t1' } });
});

test('after a 401, a browser client calls its token function once with the rejected token', async () => {
  api.script({ status: 401 }, { body: { issuer: 'i' } });
  const asked: unknown[] = [];
  const tocsin = platform(async ({ rejected } = {}) => {
    asked.push(rejected);
    return `t${asked.length}`;
  });
  expect(await tocsin.whoami()).toEqual({ issuer: 'i' });
  expect(asked).toEqual([undefined, 't1']);
  expect(api.seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer t1', 'Bearer t2']);
});

test('an error response becomes a typed error with code, status and request id', async () => {
  const problem = { code: 'forbidden', detail: 'This needs delivery_read.', request_id: 'r' };
  api.script({ status: 403, body: problem });
  const error = await platform(async () => 't')
    .deliveries.stats({ step: 'day' })
    .catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(client.ForbiddenError);
  expect(error).toMatchObject({ code: 'forbidden', status: 403, requestId: 'r', message: problem.detail });
});

test('requests use the fetch function of the options, send no cookies, and reject redirects', async () => {
  const requests: RequestInit[] = [];
  const send: typeof fetch = (input, init) => {
    requests.push(init!);
    return fetch(input, init);
  };
  api.script({ status: 302, headers: { location: `${api.url}/elsewhere` } });
  const tocsin = platform(async () => 't', { fetch: send, maxTries: 1 });
  await expect(tocsin.webhooks.get('x')).rejects.toBeInstanceOf(client.ConnectionError);
  expect(requests).toMatchObject([{ redirect: 'error', credentials: 'omit' }]);
  expect(api.seen).toHaveLength(1);
});

test('a fired alert gets its id before the first request, and retries send the same id', async () => {
  api.script({ status: 503, headers: { 'retry-after': '0' } });
  const fire = { alert_rule_id: 'r', model_id: 'm', model_name: 'n', metric_value: 1 };
  await platform(async () => 't').alerts.fire(fire);
  const ids = api.seen.map(({ body }) => JSON.parse(body).alert_id);
  expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/);
  expect(ids).toEqual([ids[0], ids[0]]);
});

test('an aborted call is not sent again', async () => {
  api.script({ status: 503, headers: { 'retry-after': '30' } });
  const leaving = new AbortController();
  const call = platform(async () => 't').webhooks.get('x', { signal: leaving.signal });
  const rejected = expect(call).rejects.toThrow('left the page');
  await until('the first try', () => api.seen.length === 1);
  leaving.abort(new Error('left the page'));
  await rejected;
  expect(api.seen).toHaveLength(1);
});
