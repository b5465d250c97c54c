import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startApi, type TestApi, workspaceId } from './support/api.js';
import { seedAlert } from './support/history.js';
import { tokenOf } from './support/tokens.js';

const page = readFileSync(new URL('../../../docs/paging.md', import.meta.url), 'utf8');
const snippet = (language: string) => page.split(`\`\`\`${language}\n`)[1]?.split('```')[0] ?? '';
const directory = mkdtempSync(join(tmpdir(), 'tocsin-paging-'));

let api: TestApi;
let alertIds: string[];
let list: string;
beforeAll(async () => {
  api = await startApi();
  const alertRuleId = randomUUID();
  const seed = (index: number) => seedAlert(api.database, { alertRuleId, acceptedAtMs: Date.now() - index });
  alertIds = await Promise.all(Array.from({ length: 250 }, (_, index) => seed(index)));
  list = `${api.url}/api/v1/workspaces/${workspaceId}/alerts?alert_rule_id=${alertRuleId}&limit=100`;
});
afterAll(async () => {
  rmSync(directory, { recursive: true });
  await api.close();
});

test('the JavaScript example in docs/paging.md reads every entry once', async () => {
  const { readAll } = (await import(`data:text/javascript,${encodeURIComponent(snippet('js'))}`)) as {
    readAll(url: string, token: string): AsyncIterable<{ alert_id: string }>;
  };
  const read: string[] = [];
  for await (const { alert_id } of readAll(list, await tokenOf('reader'))) read.push(alert_id);
  expect(read.sort()).toEqual([...alertIds].sort());
});

test('the shell example in docs/paging.md reads every entry once', async () => {
  const script = snippet('sh').replace(/^next=.*$/m, 'next=$FIRST');
  const env = { ...process.env, API: api.url, FIRST: list, TOKEN: await tokenOf('reader') };
  const { stdout } = await promisify(execFile)('bash', ['-c', script], {
    cwd: directory,
    env,
    maxBuffer: 10_000_000,
  });
  const read = [...stdout.matchAll(/"alert_id":"([^"]+)"/g)].map(([, id]) => id);
  expect(read.sort()).toEqual([...alertIds].sort());
});
