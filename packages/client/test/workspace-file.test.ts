import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  inOther,
  otherWorkspace,
  secrets,
  useWorkspaceFiles,
  workspaceFile,
} from './support/workspace-files.js';

const { stack, run, save, apply, listAll } = useWorkspaceFiles();

test('apply creates webhooks and rules, changes settings, and does nothing the second time', async () => {
  const path = save(workspaceFile());
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

test('an export that is applied to an empty workspace equals the export of that workspace', async () => {
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
  await apply(save(workspaceFile()));
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

test('an export with ids can be applied to the exported workspace, even with a renamed entry', async () => {
  await run(['webhooks', 'create', '--name', 'by hand', '--url', 'https://127.0.0.1:9/x', '--body', '{}']);
  const { stdout } = await run(['export']);
  const path = save(stdout);
  expect((await run(['apply', '-f', path, '--prune', '--dry-run'])).stdout).toBe('There are no changes.\n');
  expect((await run(['apply', '-f', save(stdout.replace('by hand', 'renamed')), '--yes'])).code).toBe(0);
  const { webhooks } = await listAll();
  expect(webhooks).toMatchObject([{ name: 'renamed', external_id: null, url: 'https://127.0.0.1:9/x' }]);
});

test('a field with an unset variable keeps its stored value, and no output contains a secret', async () => {
  await apply(save(workspaceFile()));
  const path = save(workspaceFile().replace('requests: 5', 'requests: 6'));
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

test('a renamed entry renames its resource only if the entry has an external id', async () => {
  await apply(save(workspaceFile()));
  const renamed = workspaceFile().replace('name: pager', 'name: on call').replaceAll('[pager', '[on call');
  expect((await apply(save(renamed))).stdout).toBe(
    '~ webhook risk/pager: name\nPlan: 0 to create, 1 to change, 0 to delete.\nDone: 1 of 1.\n',
  );
  const other = renamed.replace('name: Accuracy', 'name: Drift');
  const { stdout, stderr } = await apply(save(other));
  expect(stdout).toContain('+ alert rule risk/Drift');
  expect(stderr).toContain('Not in the file, and deleted with --prune: alert rule risk/Accuracy');
});

test('apply shows and reverts changes that were made outside of the file', async () => {
  const path = save(workspaceFile());
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

test('`apply --prune` deletes only resources in the namespace of the file', async () => {
  await apply(save(workspaceFile()));
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

test('a failed apply prints completed, failed and remaining steps, and the line of the error', async () => {
  const broken = workspaceFile().replace("body: '{}'", "body: '{{'");
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
  const repaired = await apply(save(workspaceFile()));
  expect([repaired.code, repaired.stdout.match(/^\+.*$/gm)?.length]).toEqual([0, 2]);
});

test('the commands of docs/configuration-as-code.md succeed in the order of the page', async () => {
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
      .map((word) => (word.endsWith('.yaml') ? join(stack.directory, word) : word));
    const asks = words[0] === 'apply' && !words.includes('--yes') && !words.includes('--dry-run');
    const { code, stdout, stderr } = await run(words, { env: values });
    expect([command, code, stderr.replaceAll(/^warning.*\n/gm, '')]).toEqual([command, 0, '']);
    if (asks) expect(stdout).toBe('There are no changes.\n');
    if (target !== undefined) save(stdout, target);
  }
});
