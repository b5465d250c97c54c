import { chat, entry, model, pager, plan, shown, state } from '../../../test/support/workspace-plans.js';

test('an unchanged webhook causes no step, whether or not its variables have values', () => {
  expect(plan(entry()).steps).toEqual([]);
  expect(plan(entry(), { env: { URL: chat.url, TOKEN: 'stored' } }).steps).toEqual([]);
});

test('a new value of a variable changes the field that uses it, and the plan shows no values', () => {
  const { steps } = plan(entry(), { env: { TOKEN: 'new' } });
  expect(shown(steps)).toEqual(['change webhook risk/chat: headers.Authorization']);
  expect(steps[0]?.body(new Map())).toEqual({ headers: { Authorization: ['new'], 'X-Team': ['a'] } });
  expect(shown(plan(entry(), { env: { URL: 'https://example.com/' } }).steps)).toEqual([
    'change webhook risk/chat: url',
  ]);
});

test('a field that is missing in the file is reset to its default', () => {
  const of = state({ webhooks: [{ ...chat, enabled: false, timeout_ms: 5_000 }] });
  expect(shown(plan(entry(), { of }).steps)).toEqual(['change webhook risk/chat: enabled timeout_ms']);
});

test('a created webhook gets the external id {namespace}/{name}', () => {
  const env = { URL: 'https://example.com/', TOKEN: 't' };
  const { steps } = plan(entry('', 'new'), { env });
  expect(shown(steps)).toEqual([
    'create webhook risk/new: name url headers.Authorization headers.X-Team body',
  ]);
  expect(steps[0]?.body(new Map())).toMatchObject({ external_id: 'risk/new', url: env.URL });
});

test('an unset variable is an error if no value is stored for its field', () => {
  expect(() => plan(entry('', 'new'))).toThrow(
    [
      'w.yaml:4: webhooks 1, url: needs a value that is not stored, and URL is not set',
      'w.yaml:5: webhooks 1, headers.Authorization: needs a value that is not stored, and TOKEN is not set',
    ].join('\n'),
  );
  const withoutHeader = state({ webhooks: [{ ...chat, headers: {} }] });
  expect(() => plan(entry(), { of: withoutHeader })).toThrow(/^w\.yaml:5: .* TOKEN is not set$/);
});

test('an entry is matched by its external id first, and then by its id', () => {
  const ids = (ids: string) => entry(`    ${ids}`, 'renamed');
  expect(shown(plan(ids('external_id: risk/chat')).steps)).toEqual(['change webhook risk/chat: name']);
  expect(shown(plan(ids(`id: ${chat.id.toUpperCase()}`)).steps)).toEqual(['change webhook risk/chat: name']);
  expect(shown(plan(ids(`external_id: risk/chat\n    id: ${pager.id}`)).steps)).toEqual([
    'change webhook risk/chat: name',
  ]);
  expect(shown(plan(ids(`external_id: risk/pager\n    id: ${chat.id}`)).steps)).toEqual([
    'change webhook risk/chat: name external_id',
  ]);
});

test('a rule can refer to a webhook by external id, id or name, even to one in the same file', () => {
  const env = { URL: 'https://example.com/', TOKEN: 't' };
  const rule = `alert_rules:
  - {name: drift, model_id: ${model.toUpperCase()}, threshold: 0.5, bound: upper_bound, notification_webhooks: [new, risk/new, ${pager.id}, pager, risk/chat]}`;
  const { steps } = plan(entry(rule, 'new'), { env });
  expect(shown(steps)).toEqual([
    expect.stringContaining('create webhook risk/new'),
    'change alert rule risk/drift: notification_webhooks',
  ]);
  expect(steps[1]?.body(new Map([['risk/new', 'made']]))).toEqual({
    notification_webhook_ids: ['made', pager.id, chat.id],
  });
});

test('a reference that matches no webhook, or several, is an error', () => {
  const rule = (reference: string) => `alert_rules:
  - name: drift
    model_id: ${model}
    threshold: 0.5
    bound: upper_bound
    notification_webhooks:
      - ${reference}`;
  expect(() => plan(rule('nobody'))).toThrow(
    'w.yaml:8: alert_rules 1, notification_webhooks.0: is no webhook of the file or the workspace: nobody',
  );
  const of = state({ webhooks: [pager, { ...pager, id: '44444444-4444-4444-8444-444444444444' }] });
  expect(() => plan(rule('pager'), { of })).toThrow('is the name of several webhooks');
});

test('`--prune` deletes resources that are in the namespace but not in the file, rules first', () => {
  const of = state({ webhooks: [chat, pager, { ...pager, id: model, external_id: 'fraud/x' }] });
  expect(plan('', { of })).toEqual({ steps: [], left: ['alert rule risk/drift', 'webhook risk/chat'] });
  const pruned = plan('', { of, prune: true });
  expect(shown(pruned.steps)).toEqual(['delete alert rule risk/drift: ', 'delete webhook risk/chat: ']);
  expect(pruned.left).toEqual([]);
});

test('`--prune` with the namespace `risk` deletes no resources of the namespace `risk2`', () => {
  const of = state({ webhooks: [{ ...chat, external_id: 'risk2/chat' }], rules: [] });
  expect(plan('', { of, prune: true })).toEqual({ steps: [], left: [] });
});

test('settings change only if the file contains settings', () => {
  const of = state({ settings: { name: 'Risk', notice_webhook_ids: [chat.id], etag: '' } });
  expect(plan('', { of }).steps).toEqual([]);
  expect(shown(plan('settings: {notice_webhooks: [chat]}', { of }).steps)).toEqual([
    'change settings : name',
  ]);
  expect(shown(plan('settings: {name: Risk, notice_webhooks: [pager]}', { of }).steps)).toEqual([
    'change settings : notice_webhooks',
  ]);
});

test('two entries for one webhook are an error', () => {
  const one = `  - {name: chat, url: u, body: "{}"}`;
  expect(() => plan(`webhooks:\n${one}\n  - {name: x, id: ${chat.id}, url: u, body: "{}"}`)).toThrow(
    /^w\.yaml:4: webhooks 2: is the same resource as entry 1/,
  );
  expect(() => plan(`webhooks:\n${one.replace('chat', 'a')}\n${one.replace('chat', 'a')}`)).toThrow(
    /^w\.yaml:4: webhooks 2: is the same resource as entry 1, with the external id risk\/a/,
  );
});
