import { createAlertFiredCheck } from './alert-fired.js';

const id = '3f0c1f9e-6f0a-4c1e-9a53-2f6d5f1f7a10';
const alert = {
  alert_id: id,
  workspace_id: id,
  fired_at: '2026-01-31T12:00:00Z',
  alert_rule_id: id,
  model_id: id,
  model_name: 'm',
  metric_value: 1,
};
const check = createAlertFiredCheck();

test.each(['0001-01-01T00:00:00+00:01', '9999-12-31T23:59:59-00:01'])(
  'the time %s is rejected, because its year in UTC is not between 0001 and 9999',
  (fired_at) => {
    expect(check({ ...alert, fired_at })).toMatchObject({ ok: false, errors: [{ path: '/fired_at' }] });
  },
);

test.each(['0001-01-01T00:01:00+00:01', '9999-12-31T23:58:59-00:01', '2026-01-31T12:00:00.123456789+02:00'])(
  'the alert check normalizes the time %s, and leaves the normalized time unchanged',
  (fired_at) => {
    const first = check({ ...alert, fired_at });
    expect(first.ok && check(first.value)).toEqual(first);
  },
);

test.each([
  ['2025-01-01T00:00:00.123456+00:00', '2025-01-01T00:00:00.123456Z'],
  ['2025-01-01T00:00:00.123456Z', '2025-01-01T00:00:00.123456Z'],
  ['2025-01-01T01:59:59.999999999+02:00', '2024-12-31T23:59:59.999999999Z'],
  ['2025-01-01T00:00:00.5-23:59', '2025-01-01T23:59:00.5Z'],
  ['2025-01-01T00:00:00-00:00', '2025-01-01T00:00:00Z'],
  ['0001-01-01T00:00:00.000001-00:01', '0001-01-01T00:01:00.000001Z'],
  ['9999-12-31T23:59:59.999999+00:01', '9999-12-31T23:58:59.999999Z'],
])('the time %s is converted to %s in UTC, with all digits of its fraction', (fired_at, utc) => {
  expect(check({ ...alert, fired_at })).toMatchObject({ ok: true, value: { fired_at: utc } });
});

test.each([
  '2026-12-31T23:59:60Z',
  '2026-01-01T24:00:00Z',
  '2026-01-01T00:00:00+24:00',
  '2026-01-01T00:00:00',
])('the time %s, which does not exist or has no offset, is rejected', (fired_at) => {
  expect(check({ ...alert, fired_at })).toMatchObject({ ok: false, errors: [{ path: '/fired_at' }] });
});

test('a message with unknown members is valid, and the check removes these members', () => {
  const alert_rule = {
    name: 'r',
    enabled: true,
    threshold: 1,
    bound: 'upper_bound',
    notification_webhook_ids: [id],
  };
  const checked = check({ ...alert, x: [[]], alert_rule: { ...alert_rule, y: {} } });
  expect(checked).toEqual({ ok: true, value: { ...alert, alert_rule } });
});

test('the alert check keeps state, labels and annotations, and the order of the labels', () => {
  const labels = { team: 'risk', 'app.kubernetes-io_name': '', Zone: 'é'.repeat(256) };
  const annotations = { summary: 'x', 'any name, ÿ': '"\n' };
  const checked = check({ ...alert, state: 'resolved', labels, annotations });
  expect(checked).toEqual({ ok: true, value: { ...alert, state: 'resolved', labels, annotations } });
  expect(checked.ok && JSON.stringify(checked.value.labels)).toBe(JSON.stringify(labels));
});

const texts = (count: number, name: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${name}${index}`, 'x']));

test.each([
  ['an unknown state', { state: 'ok' }, '/state'],
  ['a null state', { state: null }, '/state'],
  ['labels that are a list', { labels: ['a'] }, '/labels'],
  ['null labels', { labels: null }, '/labels'],
  ['21 labels', { labels: texts(21, 'l') }, '/labels'],
  ['a label that begins with a digit', { labels: { '1a': 'x' } }, '/labels/1a'],
  ['an empty label name', { labels: { '': 'x' } }, '/labels/'],
  ['a label name of 64 characters', { labels: { ['a'.repeat(64)]: 'x' } }, `/labels/${'a'.repeat(64)}`],
  ['a label with a line break after its name', { labels: { 'a\n': 'x' } }, '/labels/a\n'],
  ['a label of 257 characters', { labels: { a: 'x'.repeat(257) } }, '/labels/a'],
  ['a label that is a number', { labels: { a: 1 } }, '/labels/a'],
  ['21 annotations', { annotations: texts(21, 'a') }, '/annotations'],
  ['an annotation that is an object', { annotations: { a: {} } }, '/annotations/a'],
  ['annotations of 4,097 bytes', { annotations: { ab: 'é'.repeat(2_047), c: '' } }, '/annotations'],
])('an alert with %s is rejected, and the error names the path', (_, change, path) => {
  const checked = check({ ...alert, ...change });
  const paths = checked.ok ? [] : checked.errors.map((error) => error.path);
  expect([...new Set(paths)]).toEqual([path]);
});

test('annotations of exactly 4,096 bytes are accepted', () => {
  const annotations = { ab: 'é'.repeat(2_047) };
  expect(check({ ...alert, annotations })).toMatchObject({ ok: true, value: { annotations } });
});

test('an alert check lists all errors, and with listAll: false only the first one', () => {
  const message = { metric_value: '1', labels: { '': 1 }, alert_rule: {} };
  const all = check(message);
  const paths = all.ok ? [] : all.errors.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      '/alert_id',
      '/workspace_id',
      '/fired_at',
      '/alert_rule_id',
      '/model_id',
      '/model_name',
      '/metric_value',
      '/labels/',
      '/alert_rule/name',
      '/alert_rule/notification_webhook_ids',
    ]),
  );
  const first = check(message, { listAll: false });
  expect(first.ok ? [] : first.errors).toHaveLength(1);
});

test('the path of an error is truncated for long names and deep nesting', () => {
  let nested: unknown = '\0';
  for (let depth = 0; depth < 5_000; depth += 1) nested = { deep: nested };
  for (const extra of [{ ['😀'.repeat(100_000)]: '\0' }, { nested }]) {
    const checked = check({ ...alert, ...extra });
    expect(!checked.ok && checked.errors[0]?.path.length).toBeLessThan(600);
  }
});

const ownRule = {
  name: 'x'.repeat(255),
  enabled: false,
  threshold: -1,
  bound: 'lower_bound',
  notification_webhook_ids: [id],
};

test('an alert whose values are exactly at their limits is accepted', () => {
  const most = {
    ...alert,
    model_name: 'x'.repeat(1_024),
    labels: { ...texts(19, 'l'), ['a'.repeat(63)]: 'x'.repeat(256) },
    annotations: texts(20, 'a'),
    alert_rule: { ...ownRule, notification_webhook_ids: Array.from({ length: 20 }, () => id) },
  };
  expect(check(most)).toEqual({
    ok: true,
    value: { ...most, alert_rule: { ...ownRule, notification_webhook_ids: [id] } },
  });
});

test.each([
  ['model_name', { model_name: 'x'.repeat(1_025) }],
  ['alert_rule/name', { alert_rule: { ...ownRule, name: 'x'.repeat(256) } }],
  ['alert_rule/name', { alert_rule: { ...ownRule, name: '' } }],
  [
    'alert_rule/notification_webhook_ids',
    { alert_rule: { ...ownRule, notification_webhook_ids: Array(21).fill(id) } },
  ],
  ...Object.keys(ownRule).map((name): [string, object] => [
    `alert_rule/${name}`,
    { alert_rule: { ...ownRule, [name]: undefined } },
  ]),
  ['bound', { bound: 'both' }],
  ['is_test', { is_test: 'true' }],
  ['type', { type: 'alert' }],
  ['version', { version: 2 }],
])('an alert with an invalid %s is rejected (case %#)', (path, change) => {
  const message = JSON.parse(JSON.stringify({ ...alert, ...change }));
  expect(check(message)).toMatchObject({ ok: false, errors: [{ path: `/${path}` }] });
});

test('all ids of an alert are converted to lower case, and all optional members are kept', () => {
  const optional = { type: 'alert.fired', version: 1, threshold: 1, bound: 'upper_bound', is_test: true };
  const upper = id.toUpperCase();
  const checked = check({
    ...alert,
    ...optional,
    alert_id: upper,
    workspace_id: upper,
    alert_rule_id: upper,
    model_id: upper,
    alert_rule: { ...ownRule, notification_webhook_ids: [upper, id] },
  });
  expect(checked).toEqual({ ok: true, value: { ...alert, ...optional, alert_rule: ownRule } });
});
