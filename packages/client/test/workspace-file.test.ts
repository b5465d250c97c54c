import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { AlertRule, Webhook, WorkspaceSettings } from '../src/api/schemas.js';
import { runCli } from '../src/cli/run-cli.js';
import { systemClock } from '../src/clock.js';
import { type CliOptions, cli } from './support/cli.js';
import { startServices } from './support/services.js';

let services: Awaited<ReturnType<typeof startServices>>;
const directory = mkdtempSync(join(tmpdir(), 'tocsin-workspace-file-'));
const env: Record<string, string> = {};
const otherWorkspace = process.env.TOCSIN_TEST_OTHER_WORKSPACE_ID ?? '';
const inOther = ['--workspace', otherWorkspace, '--as', 'outsider'];

beforeAll(async () => {
  services = await startServices();
  const [auth_url, realm] = (process.env.TOCSIN_TEST_OIDC_ISSUER ?? '').split('/realms/');
  const stack = join(directory, 'stack.json');
  writeFileSync(
    stack,
    JSON.stringify({
      api_url: services.apiUrl,
      engine_url: services.engineUrl,
      auth_url,
      realm,
      workspace_id: process.env.TOCSIN_TEST_WORKSPACE_ID,
      clients: JSON.parse(process.env.TOCSIN_TEST_OIDC_CLIENTS ?? '{}'),
      engine_admin_key: services.engineAdminKey,
    }),
  );
  Object.assign(env, { TOCSIN_STACK: stack, TOCSIN_LOGIN_FILE: join(directory, 'none') });
});
afterAll(async () => {
  rmSync(directory, { recursive: true });
  await services.close();
});
beforeEach(async () => {
  for (const options of [[], inOther]) {
    await run(['settings', 'update', '--no-name', '--no-notice-webhook', ...options]);
    for (const list of ['rules', 'webhooks'])
      for (const { id } of await runJson<{ id: string }[]>([list, 'list', ...options]))
        await run([list, 'delete', id, ...(list === 'webhooks' ? ['--force'] : []), ...options]);
  }
});

const run = (words: string[], options: CliOptions = {}) =>
  cli(words, { ...options, env: { ...env, ...options.env } });

async function runJson<T>(words: string[], options: CliOptions = {}): Promise<T> {
  const { code, stdout, stderr } = await run([...words, '--json'], options);
  if (code !== 0) throw new Error(`${words.join(' ')}: ${code} ${stderr}`);
  return JSON.parse(stdout) as T;
}

function save(text: string, name = 'workspace.yaml'): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

const secrets = { CHAT_URL: 'https://127.0.0.1:9/s3cret-path', CHAT_TOKEN: 's3cret-token' };
const model = 'a9c7d0de-51f4-4d0b-8a0c-6f2f5b7f1e11';

const file = (more = '') => `namespace: risk
settings:
  name: Risk team
  notice_webhooks: [pager]
webhooks:
  - name: chat
    url: \${CHAT_URL}
    headers:
      Authorization: Bearer \${CHAT_TOKEN}
      X-Team: [a, "b: c"]
    body: |
      {"text": "{{ alert_rule_name }}"}
    rate_limit: {requests: 5, period_ms: 1000}
  - name: pager
    external_id: risk/pager
    url: http://127.0.0.1:9/
    body: '{}'
    enabled: false
alert_rules:
  - name: Accuracy
    model_id: ${model}
    threshold: 0.9
    bound: lower_bound
    cooldown_seconds: 60
    notification_webhooks: [pager, risk/chat]
${more}`;

const apply = (path: string, ...more: string[]) =>
  run(['apply', '-f', path, '--yes', ...more], { env: secrets });
const listAll = async (options: string[] = []) => ({
  webhooks: await runJson<Webhook[]>(['webhooks', 'list', ...options]),
  rules: await runJson<AlertRule[]>(['rules', 'list', ...options]),
  settings: await runJson<WorkspaceSettings>(['settings', 'get', ...options]),
});

test('apply creates webhooks and rules, changes settings, and does nothing the second time', async () => {
  const path = save(file());
  const first = await apply(path);
  expect([first.code, first.stdout]).toEqual([
    0,
    `+ webhook risk/chat: name, url, headers.Authorization, headers.X-Team, body, rate_limit
+ webhook risk/pager: name, url, body, enabled
+ alert rule risk/Accuracy: name, model_id, threshold, bound, cooldown_seconds, notification_webhooks
~ settings: name, notice_webhooks
Plan: 3 to create, 1 to change, 0 to delete.
Done: 4 of 4.
`,
  ]);
  const before = await listAll();
  const [pager, chat] = [...before.webhooks].sort((a, b) => (a.name < b.name ? 1 : -1));
  expect(chat).toMatchObject({
    external_id: 'risk/chat',
    url: secrets.CHAT_URL,
    headers: { Authorization: ['Bearer s3cret-token'], 'X-Team': ['a', 'b: c'] },
    body: '{"text": "{{ alert_rule_name }}"}\n',
  });
  expect(before.rules).toMatchObject([{ notification_webhook_ids: [pager?.id, chat?.id] }]);
  expect(before.settings).toMatchObject({ name: 'Risk team', notice_webhook_ids: [pager?.id] });
  for (const words of [['--yes'], ['--dry-run'], ['--prune', '--yes']]) {
    const again = await run(['apply', '-f', path, ...words], { env: secrets });
    expect([again.code, again.stdout]).toEqual([0, 'There are no changes.\n']);
  }
  expect(await listAll()).toEqual(before);
});

test('the export of a workspace, applied to an empty workspace, gives the same export', async () => {
  await run([
    'webhooks',
    'create',
    '--name',
    'by hand',
    '--url',
    'https://127.0.0.1:9/x',
    '--body',
    '{}',
    '--header',
    'X-Key: abc',
  ]);
  await apply(save(file()));
  const exported = await run(['export', '--no-ids']);
  expect([exported.code, exported.stderr]).toEqual([0, '']);
  expect(exported.stdout).not.toMatch(/s3cret|abc|127\.0\.0\.1/);
  const names = [...exported.stdout.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name!);
  expect(names).toContain('CHAT_AUTHORIZATION');
  const values = Object.fromEntries(
    names.map((name) => [name, name.endsWith('_URL') ? 'https://127.0.0.1:9/y' : 'v']),
  );
  const path = save(exported.stdout, 'copy.yaml');
  const copied = await run(['apply', '-f', path, '--yes', ...inOther], { env: values });
  expect([copied.code, copied.stderr]).toEqual([0, expect.not.stringContaining('tocsin:')]);
  const copy = await run(['export', '--no-ids', ...inOther]);
  expect(copy.stdout).toBe(exported.stdout);
  expect((await run(['apply', '-f', path, '--dry-run', ...inOther])).stdout).toBe('There are no changes.\n');
});

test('an export with ids can be applied to its own workspace, also with a changed name', async () => {
  await run(['webhooks', 'create', '--name', 'by hand', '--url', 'https://127.0.0.1:9/x', '--body', '{}']);
  const { stdout } = await run(['export']);
  const path = save(stdout);
  expect((await run(['apply', '-f', path, '--prune', '--dry-run'])).stdout).toBe('There are no changes.\n');
  expect((await run(['apply', '-f', save(stdout.replace('by hand', 'renamed')), '--yes'])).code).toBe(0);
  const { webhooks } = await listAll();
  expect(webhooks).toMatchObject([{ name: 'renamed', external_id: null, url: 'https://127.0.0.1:9/x' }]);
});

test('variables without values keep the stored values, and no output contains a secret', async () => {
  await apply(save(file()));
  const path = save(file().replace('requests: 5', 'requests: 6'));
  const changed = await run(['apply', '-f', path, '--yes']);
  expect(changed.stdout).toContain('~ webhook risk/chat: rate_limit\n');
  const { webhooks } = await listAll();
  expect(webhooks.find(({ name }) => name === 'chat')).toMatchObject({
    url: secrets.CHAT_URL,
    headers: { Authorization: ['Bearer s3cret-token'] },
    rate_limit: { requests: 6 },
  });
  const rotated = { ...secrets, CHAT_TOKEN: 's3cret-next' };
  for (const json of [[], ['--json']]) {
    const shown = await run(['apply', '-f', path, '--dry-run', ...json], { env: rotated });
    expect(shown.stdout).toContain('headers.Authorization');
    expect(`${shown.stdout}${shown.stderr}`).not.toContain('s3cret');
  }
});

test('a new name in the file renames an entry only if the entry has an external id', async () => {
  await apply(save(file()));
  const renamed = file().replace('name: pager', 'name: on call').replaceAll('[pager', '[on call');
  expect((await apply(save(renamed))).stdout).toBe(
    '~ webhook risk/pager: name\nPlan: 0 to create, 1 to change, 0 to delete.\nDone: 1 of 1.\n',
  );
  const other = renamed.replace('name: Accuracy', 'name: Drift');
  const { stdout, stderr } = await apply(save(other));
  expect(stdout).toContain('+ alert rule risk/Drift');
  expect(stderr).toContain('Not in the file, and deleted with --prune: alert rule risk/Accuracy');
});

test('apply shows and reverts changes that were made outside of the file', async () => {
  const path = save(file());
  await apply(path);
  const { webhooks, rules } = await listAll();
  const pager = webhooks.find(({ name }) => name === 'pager');
  await run(['webhooks', 'update', pager?.id ?? '', '--enable', '--header', 'X-Drift: 1']);
  await run(['rules', 'update', rules[0]?.id ?? '', '--threshold', '0.1']);
  expect((await run(['apply', '-f', path, '--dry-run'])).stdout).toBe(
    `~ webhook risk/pager: headers.X-Drift, enabled
~ alert rule risk/Accuracy: threshold
Plan: 0 to create, 2 to change, 0 to delete.
`,
  );
  expect((await apply(path)).code).toBe(0);
  expect(await listAll()).toMatchObject({ rules: [{ threshold: 0.9 }] });
});

test('prune deletes only resources in the namespace of the file', async () => {
  await apply(save(file()));
  const create = (...words: string[]) =>
    run(['webhooks', 'create', '--url', 'http://127.0.0.1:9/', '--body', '{}', ...words]);
  await create('--name', 'by hand');
  await create('--name', 'other', '--external-id', 'risky/x');
  await create('--name', 'bare', '--external-id', 'risk');
  const { code, stdout } = await apply(save('namespace: risk\nsettings: {}'), '--prune');
  expect([code, stdout]).toEqual([
    0,
    `~ settings: name, notice_webhooks
- alert rule risk/Accuracy
- webhook risk/chat
- webhook risk/pager
Plan: 0 to create, 1 to change, 3 to delete.
Done: 4 of 4.
`,
  ]);
  const { webhooks, rules } = await listAll();
  expect([webhooks.map(({ name }) => name).sort(), rules]).toEqual([['bare', 'by hand', 'other'], []]);
});

test('a failed apply prints completed steps, remaining steps and the line in the file', async () => {
  const broken = file().replace("body: '{}'", "body: '{{'");
  const { code, stdout, stderr } = await apply(save(broken));
  expect(code).toBe(6);
  expect(stdout.slice(stdout.indexOf('Done'))).toBe(`Done: 1 of 4.
  + webhook risk/chat: name, url, headers.Authorization, headers.X-Team, body, rate_limit
Failed:
  + webhook risk/pager: name, url, body, enabled
Not done:
  + alert rule risk/Accuracy: name, model_id, threshold, bound, cooldown_seconds, notification_webhooks
  ~ settings: name, notice_webhooks
`);
  expect(stderr).toMatch(/^tocsin: .* \(line 14\)\n {2}\/body /m);
  const repaired = await apply(save(file()));
  expect([repaired.code, repaired.stdout.match(/^\+.*$/gm)?.length]).toEqual([0, 2]);
});

/** Runs `apply` and sends `reply` when it asks for confirmation, after `meanwhile` has run. */
async function applyAndReply(path: string, reply: string, meanwhile = async () => {}) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const printed = { stdout: '', stderr: '' };
  const code = await runCli(['apply', '-f', path], {
    clock: systemClock,
    env: { ...env, ...secrets },
    stdin,
    stdout: { write: (text) => (printed.stdout += text) },
    stderr: {
      write(text) {
        printed.stderr += text;
        if (text.includes('[y/N]')) void meanwhile().then(() => stdin.end(reply));
      },
    },
    signal: new AbortController().signal,
  });
  return { code, ...printed };
}

test('apply fails and names a resource that somebody else has changed after the plan', async () => {
  await apply(save(file()));
  const { webhooks } = await listAll();
  const pager = webhooks.find(({ name }) => name === 'pager');
  const path = save(file().replace('enabled: false', 'enabled: true'));
  const { code, stdout, stderr } = await applyAndReply(path, 'y\n', async () => {
    await run(['webhooks', 'update', pager?.id ?? '', '--name', 'faster']);
  });
  expect(code).toBe(7);
  expect(stderr).toContain('Somebody else has changed webhook risk/pager since the plan was made');
  expect(stdout).toContain('Done: 0 of 1.');
  expect(await runJson(['webhooks', 'get', pager?.id ?? ''])).toMatchObject({
    name: 'faster',
    enabled: false,
  });
});

test.each(['n\n', '\n', '', 'yep\n'])('apply changes nothing after the reply %j', async (reply) => {
  const { code, stderr } = await applyAndReply(save(file()), reply);
  expect([code, stderr]).toEqual([0, expect.stringContaining('Nothing was changed.')]);
  expect((await listAll()).webhooks).toEqual([]);
});

test('apply without a terminal needs --yes, except with --dry-run', async () => {
  const path = save(file());
  const asked = await run(['apply', '-f', path], { env: secrets });
  expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('--yes')]);
  expect((await run(['apply', '-f', '-', '--dry-run'], { stdin: file(), env: secrets })).code).toBe(0);
  expect((await listAll()).webhooks).toEqual([]);
});

test('the error for a reader names the required role', async () => {
  await apply(save(file()));
  for (const words of [['export'], ['apply', '-f', save(file()), '--dry-run']]) {
    const { code, stderr } = await run([...words, '--as', 'reader']);
    expect([code, stderr]).toEqual([4, expect.stringContaining('needs the role editor or admin')]);
  }
});

test('apply fails and names a resource that got the same external id after the plan', async () => {
  const path = save(file());
  const { code, stderr } = await applyAndReply(path, 'y\n', async () => {
    await run([
      'webhooks',
      'create',
      '--name',
      'first',
      '--url',
      'http://127.0.0.1:9/',
      '--body',
      '{}',
      '--external-id',
      'risk/chat',
    ]);
  });
  expect([code, stderr]).toEqual([7, expect.stringContaining('"first"')]);
});

test('the commands of docs/configuration-as-code.md run in their order', async () => {
  const page = readFileSync(new URL('../../../docs/configuration-as-code.md', import.meta.url), 'utf8');
  const commands = [...page.matchAll(/^```sh\n(.*?)```$/gms)].flatMap(([, block = '']) =>
    block.split('\n').filter((line) => line.startsWith('tocsin ')),
  );
  expect(commands.length).toBeGreaterThan(8);
  const example = /^```yaml\n(.*?)```$/ms.exec(page)?.[1] ?? '';
  const values = {
    CHAT_URL: 'https://127.0.0.1:9/hook',
    CHAT_TOKEN: 'x',
    CHAT_CONTENT_TYPE: 'application/json',
    CHAT_AUTHORIZATION: 'Bearer x',
    PAGER_KEY: 'x',
    PAGER_URL: 'https://127.0.0.1:9/x',
  };
  const resolved = example.replace('https://pager.example.com', 'https://127.0.0.1:9');
  expect((await run(['apply', '-f', save(resolved, 'first.yaml'), '--yes'], { env: values })).code).toBe(0);
  for (const command of commands) {
    const [text = '', target] = command.split(' > ');
    const words = text
      .replace('"$OTHER_WORKSPACE"', `${otherWorkspace} --as outsider`)
      .split(' ')
      .slice(1)
      .map((word) => (word.endsWith('.yaml') ? join(directory, word) : word));
    const asks = words[0] === 'apply' && !words.includes('--yes') && !words.includes('--dry-run');
    const { code, stdout, stderr } = await run(words, { env: values });
    expect([command, code, stderr.replaceAll(/^warning.*\n/gm, '')]).toEqual([command, 0, '']);
    if (asks) expect(stdout).toBe('There are no changes.\n');
    if (target !== undefined) save(stdout, target);
  }
});
