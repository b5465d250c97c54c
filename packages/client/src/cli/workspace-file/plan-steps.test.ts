import {
  chat,
  drift,
  entry,
  model,
  pager,
  plan,
  shown,
  state,
} from '../../../test/support/workspace-plans.js';

const env = { URL: 'https://example.com/', TOKEN: 't' };
const rule = (more = '', name = 'drift') => `alert_rules:
  - name: ${name}
    model_id: ${model}
    threshold: 0.5
    bound: upper_bound
${more}`;
const withPager = '    notification_webhooks: [pager]';
const withChat = '    notification_webhooks: [chat]';
const nothing = new Map<string, string>();

test('a step of a plan contains the id of an existing resource and the path of its file entry', () => {
  const [created] = plan(entry('', 'new'), { env }).steps;
  expect(created).toMatchObject({ action: 'create', kind: 'webhook', path: '/webhooks/0' });
  expect(created).not.toHaveProperty('id');
  const [changed] = plan(rule(withPager)).steps;
  expect(changed).toMatchObject({ action: 'change', id: drift.id, path: '/alert_rules/0' });
  const [settings] = plan('settings: {name: Risk}').steps;
  expect(settings).toMatchObject({ action: 'change', kind: 'settings', label: '', path: '/settings' });
  const [deleted] = plan('', { prune: true }).steps;
  expect(deleted).toMatchObject({ action: 'delete', id: drift.id, fields: [] });
  expect(deleted?.body(nothing)).toEqual({});
});

test('a webhook is created with the fields of the file that differ from their defaults', () => {
  const [plain] = plan(entry('', 'new'), { env }).steps;
  const fields = { name: 'new', url: env.URL, body: '{}', external_id: 'risk/new' };
  const headers = { Authorization: ['t'], 'X-Team': ['a'] };
  expect(plain?.body(nothing)).toEqual({ ...fields, headers });
  const options = `    enabled: false
    retry_on_timeout: false
    retry_schedule_ms: [1000]
    timeout_ms: 2000
    rate_limit: {requests: 1, period_ms: 1000}
    signing: true
    idempotency_header: X-Id`;
  const [full] = plan(entry(options, 'new'), { env }).steps;
  expect(full?.body(nothing)).toEqual({
    ...fields,
    headers,
    enabled: false,
    retry_on_timeout: false,
    retry_schedule_ms: [1_000],
    timeout_ms: 2_000,
    rate_limit: { requests: 1, period_ms: 1_000 },
    signing: true,
    idempotency_header: 'X-Id',
  });
});

test('an entry with an external id and without headers creates a webhook without headers', () => {
  const text = 'webhooks:\n  - {name: new, external_id: mine, url: u, body: "{}"}';
  const [created] = plan(text).steps;
  expect(created).toMatchObject({ label: 'mine', fields: ['name', 'url', 'body'] });
  expect(created?.body(nothing)).toEqual({ name: 'new', url: 'u', body: '{}', external_id: 'mine' });
});

test('a webhook option that is missing in the file is reset to its default', () => {
  const options: [name: string, stored: unknown, byDefault: unknown][] = [
    ['enabled', false, true],
    ['retry_on_timeout', false, true],
    ['retry_schedule_ms', [1], null],
    ['timeout_ms', 1, null],
    ['rate_limit', { requests: 1, period_ms: 1 }, null],
    ['signing', true, false],
    ['idempotency_header', 'X-Id', null],
  ];
  const stored = { ...chat, ...Object.fromEntries(options.map(([name, value]) => [name, value])) };
  const defaults = Object.fromEntries(options.map(([name, , value]) => [name, value]));
  const { steps } = plan(entry(), { of: state({ webhooks: [stored], rules: [] }) });
  expect(shown(steps)).toEqual([`change webhook risk/chat: ${Object.keys(defaults).join(' ')}`]);
  expect(steps[0]?.body(nothing)).toEqual(defaults);
});

test('an alert rule is created without the fields that have their defaults', () => {
  const { steps } = plan(rule('', 'new'));
  expect(shown(steps)).toEqual(['create alert rule risk/new: name model_id threshold bound']);
  expect(steps[0]?.body(nothing)).toEqual({
    name: 'new',
    model_id: model,
    threshold: 0.5,
    bound: 'upper_bound',
    external_id: 'risk/new',
  });
  const [other] = plan(rule(`    enabled: false\n    cooldown_seconds: 9\n${withChat}`, 'new')).steps;
  expect(other?.body(nothing)).toMatchObject({
    enabled: false,
    cooldown_seconds: 9,
    notification_webhook_ids: [chat.id],
  });
});

test('fields of a rule that the file does not contain are reset to their defaults', () => {
  const of = state({ rules: [{ ...drift, enabled: false, cooldown_seconds: 9 }] });
  const { steps } = plan(rule(), { of });
  expect(shown(steps)).toEqual([
    'change alert rule risk/drift: enabled cooldown_seconds notification_webhooks',
  ]);
  expect(steps[0]?.body(nothing)).toEqual({
    enabled: true,
    cooldown_seconds: 0,
    notification_webhook_ids: [],
  });
});

test('a threshold of -0 equals the stored 0, and a model id is compared without regard to case', () => {
  const text = rule(withChat).replace('0.5', '-0.0').replace(model, model.toUpperCase());
  expect(plan(text, { of: state({ rules: [{ ...drift, threshold: 0 }] }) }).steps).toEqual([]);
});

test('a header with an unset variable keeps its stored values, whatever the case of its name', () => {
  const text = (headers: string) => entry().replace(/headers: .*/, `headers: {${headers}}`);
  const bodyOf = (headers: string) => plan(text(headers)).steps[0]?.body(nothing);
  expect(bodyOf('authorization: ["a", "${TOKEN}"], X-Team: a')).toEqual({
    headers: { authorization: ['stored'], 'X-Team': ['a'] },
  });
  expect(shown(plan(text('authorization: "${TOKEN}", X-Team: a')).steps)).toEqual([
    'change webhook risk/chat: headers.authorization headers.Authorization',
  ]);
  expect(bodyOf('Authorization: stored, X-Team: [a, b]')).toEqual({
    headers: { Authorization: ['stored'], 'X-Team': ['a', 'b'] },
  });
  expect(shown(plan(text('Authorization: stored')).steps)).toEqual([
    'change webhook risk/chat: headers.X-Team',
  ]);
});

test('the error about a header with unset variables names each of them once', () => {
  const text = entry().replace('"${TOKEN}"', '["${A}${B}", "${A}"]').replace('Authorization', 'X-New');
  expect(() => plan(text)).toThrow(
    'w.yaml:5: webhooks 1, headers.X-New: needs a value that is not stored, and A, B is not set',
  );
});

test('settings can refer to a webhook that an earlier step creates', () => {
  const [, settings] = plan(`${entry('', 'new')}\nsettings: {notice_webhooks: [new]}`, { env }).steps;
  expect(settings?.fields).toEqual(['notice_webhooks']);
  expect(settings?.body(new Map([['risk/new', 'made']]))).toEqual({ notice_webhook_ids: ['made'] });
});

test('the stored name of a workspace is removed if the settings in the file have no name', () => {
  const of = state({ settings: { name: 'Risk', notice_webhook_ids: [], etag: '' } });
  expect(plan('settings: {}', { of }).steps[0]?.body(nothing)).toEqual({ name: null });
  expect(plan('settings: {name: Risk}', { of }).steps).toEqual([]);
});

test('a reference by name means the webhook in the file, even if a stored one has the same name', () => {
  const namesake = { ...pager, name: 'chat' };
  const of = state({ webhooks: [chat, namesake] });
  expect(plan(`${entry()}\n${rule(withChat)}`, { of }).steps).toEqual([]);
  expect(() => plan(rule(withChat), { of })).toThrow(
    'alert_rules 1, notification_webhooks.0: is the name of several webhooks; write the external id or the id: chat',
  );
});

test('a reference is read as an external id first, then as an id, and then as a name', () => {
  const named = { ...pager, name: 'risk/chat' };
  const of = state({ webhooks: [chat, named] });
  const byExternalId = rule('    notification_webhooks: [risk/chat]');
  expect(plan(byExternalId, { of }).steps).toEqual([]);
  const id = 'aaaaaaaa-1111-4111-8111-111111111111';
  const byId = rule(`    notification_webhooks: [${id.toUpperCase()}]`);
  const withNameOfId = state({
    webhooks: [
      { ...pager, name: id.toUpperCase() },
      { ...chat, id },
    ],
    rules: [{ ...drift, notification_webhook_ids: [id] }],
  });
  expect(plan(byId, { of: withNameOfId }).steps).toEqual([]);
});

test('a reference to a webhook that `--prune` deletes is an error', () => {
  const text = rule(withChat);
  expect(plan(text).steps).toEqual([]);
  expect(() => plan(text, { prune: true })).toThrow('is no webhook of the file or the workspace: chat');
  expect(plan(rule(withPager), { prune: true }).steps[0]?.body(nothing)).toEqual({
    notification_webhook_ids: [pager.id],
  });
});

test('the external id {namespace}/{name} of a new entry must fit into 255 characters', () => {
  const named = (length: number, more = '') =>
    `webhooks:\n  - {name: ${'n'.repeat(length - 'risk/'.length)}, url: u, body: "{}"${more}}`;
  expect(plan(named(255)).steps).toHaveLength(1);
  expect(() => plan(named(256))).toThrow(
    'w.yaml:3: webhooks 1, name: is too long to become the external id; give an external_id of 255 characters at most',
  );
  expect(plan(named(256, ', external_id: short')).steps).toHaveLength(1);
  expect(plan(named(256, `, id: ${chat.id}`)).steps).toMatchObject([{ action: 'change', id: chat.id }]);
});

test('an entry is matched by its id, even if another webhook has the name in the entry', () => {
  const { steps, left } = plan(entry(`    id: ${pager.id}`), { env });
  expect(steps[0]).toMatchObject({ action: 'change', id: pager.id });
  expect(left).toEqual(['alert rule risk/drift', 'webhook risk/chat']);
});

test('an id in an entry is compared without regard to case', () => {
  const id = 'abcdefab-1111-4111-8111-111111111111';
  const of = state({ webhooks: [{ ...chat, id }] });
  const { steps } = plan(entry(`    id: ${id.toUpperCase()}`, 'renamed'), { of });
  expect(steps).toMatchObject([{ action: 'change', id }]);
});

test('resources that the file describes are not listed for deletion', () => {
  expect(plan(`${entry()}\n${rule(withChat)}`)).toEqual({ steps: [], left: [] });
});

test('entries for different webhooks are not reported as duplicates', () => {
  const one = (name: string) => `  - {name: ${name}, url: u, body: "{}"}\n`;
  expect(shown(plan(`webhooks:\n${one('a')}${one('b')}`).steps)).toEqual([
    'create webhook risk/a: name url body',
    'create webhook risk/b: name url body',
  ]);
  const of = state({ webhooks: [chat, { ...pager, external_id: 'risk/pager' }] });
  expect(plan(`webhooks:\n${one('chat')}${one('pager')}`, { of }).steps).toHaveLength(2);
});

test('a rule can refer to a webhook by id, even if the webhook entry also has an external id', () => {
  const id = 'abcdefab-1111-4111-8111-111111111111';
  const webhook = entry(`    external_id: risk/chat\n    id: ${id}`);
  const reference = `    notification_webhooks: [${id.toUpperCase()}]`;
  expect(plan(`${webhook}\n${rule(reference)}`).steps).toEqual([]);
  expect(plan(`${webhook.replace(id, id.toUpperCase())}\n${rule(reference)}`).steps).toEqual([]);
});

test('a reference by name means a stored webhook if no webhook in the file has this name', () => {
  const { steps } = plan(`${entry()}\n${rule(withPager)}`);
  expect(steps[0]?.body(nothing)).toEqual({ notification_webhook_ids: [pager.id] });
});

test('the error about an unknown webhook in the settings names the line of the reference', () => {
  expect(() => plan('settings:\n  notice_webhooks:\n    - nobody')).toThrow(
    'w.yaml:4: settings, notice_webhooks.0: is no webhook of the file or the workspace: nobody',
  );
});
