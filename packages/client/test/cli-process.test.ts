import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { until } from '@tocsin/testing';
import { type ScriptedApi, startScriptedApi } from './support/scripted-api.js';
import { startScriptedProvider } from './support/scripted-provider.js';

// These tests run the command as a process, because they are about its streams and its exit code.

const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

let api: ScriptedApi;
beforeEach(async () => {
  api = await startScriptedApi();
});
afterEach(() => api.close());

type Output = 'pipe' | number;

function start(words: string[], { stdout = 'pipe' as Output, stderr = 'pipe' as Output, env = {} } = {}) {
  const child = spawn(process.execPath, [main, ...words], {
    stdio: ['pipe', stdout, stderr],
    env: { TOCSIN_API_URL: api.url, TOCSIN_TOKEN: 't', TOCSIN_WORKSPACE: 'w', ...env },
  });
  const printed = { stdout: '', stderr: '' };
  child.stdout?.on('data', (text: Buffer) => {
    printed.stdout += text.toString();
  });
  child.stderr?.on('data', (text: Buffer) => {
    printed.stderr += text.toString();
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, printed, ended };
}

const alerts = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    JSON.stringify({ alert_rule_id: 'r', model_id: 'm', model_name: 'n', metric_value: index }),
  ).join('\n');

const workspaceFile = `namespace: risk
webhooks:
${[1, 2, 3].map((number) => `  - {name: w${number}, url: 'https://example.com', body: '{}'}`).join('\n')}
`;

test('apply makes all changes if the reader of its output has ended', async () => {
  api.script({ body: [] }, { body: [] }, { body: { notice_webhook_ids: [] } });
  const { child, ended } = start(['apply', '-f', '-', '--yes']);
  child.stdout?.destroy();
  child.stdin?.end(workspaceFile);
  expect(await ended).toBe(0);
  expect(api.seen.filter(({ method }) => method === 'POST')).toHaveLength(3);
});

test('a command whose output nobody reads exits with the code of its failure', async () => {
  api.script({ body: [] }, { body: [] }, { body: { notice_webhook_ids: [] } }, { status: 422 });
  const { child, printed, ended } = start(['apply', '-f', '-', '--yes']);
  child.stdout?.destroy();
  child.stdin?.end(workspaceFile);
  expect(await ended).toBe(6);
  expect(printed.stderr).toContain('422');
});

test('`alerts fire` publishes all alerts and prints their ids if nobody reads its messages', async () => {
  api.script(...Array.from({ length: 20 }, () => ({ status: 422 })));
  const { child, printed, ended } = start(['alerts', 'fire', '-']);
  child.stderr?.destroy();
  child.stdin?.end(alerts(60));
  expect(await ended).toBe(6);
  expect(api.seen).toHaveLength(60);
  expect(printed.stdout.trim().split('\n')).toHaveLength(40);
});

test('`alerts fire` prints no warning for a file of 40 alerts', async () => {
  const provider = await startScriptedProvider();
  const account = { TOCSIN_ISSUER: provider.issuer, TOCSIN_CLIENT_ID: 'a', TOCSIN_CLIENT_SECRET: 'b' };
  // All workers wait for the first token, and then for a retry.
  api.script(...Array.from({ length: 16 }, () => ({ status: 503 })));
  const { child, printed, ended } = start(['alerts', 'fire', '-'], {
    env: { ...account, TOCSIN_TOKEN: '' },
  });
  child.stdin?.end(alerts(40));
  const code = await ended;
  await provider.close();
  expect({ code, stderr: printed.stderr }).toEqual({ code: 0, stderr: '' });
  expect(printed.stdout.trim().split('\n')).toHaveLength(40);
});

test('tail ends if the reader of its output has ended', async () => {
  const row = { id: 'a', webhook_name: 'chat', status: 'succeeded', attempts_made: 1, response: null };
  const rows = (id: string) => ({ body: [{ ...row, id, created_at: '2026-01-01T00:00:00Z' }] });
  api.script(...Array.from({ length: 60 }, (_, index) => rows(String(index))));
  const { child, printed, ended } = start(['deliveries', 'tail', '--since', '1h']);
  await until('the first delivery', () => printed.stdout !== '');
  child.stdout?.destroy();
  expect(await ended).toBe(0);
  expect(printed.stderr).toBe('');
});

test('an output that cannot be written is reported in one line with exit code 1', async () => {
  const full = openSync('/dev/full', 'w');
  api.script({ body: [] });
  const { printed, ended } = start(['webhooks', 'list', '--json'], { stdout: full });
  expect(await ended).toBe(1);
  expect(printed.stderr).toMatch(/^tocsin: The output cannot be written: .*ENOSPC.*\n$/);
});

test('messages that cannot be written change the exit code to 1', async () => {
  const full = openSync('/dev/full', 'w');
  api.script({ body: [] });
  const { ended } = start(['webhooks', 'list'], { stderr: full });
  expect(await ended).toBe(1);
});
