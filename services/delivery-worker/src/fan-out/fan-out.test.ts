import { encryptPublisher, type OpenDeliveriesKey } from '@tocsin/deliveries';
import type { Tracing } from '@tocsin/kit';
import { until } from '@tocsin/testing';
import { testSecretBox } from '@tocsin/testing/database';
import {
  alertOf,
  otherRule,
  otherWorkspaceId,
  rule,
  ruleOf,
  startFanOut,
  webhookOf,
  workspaceId,
} from '../../test/support/fan-out-harness.js';

test('each alert that waits when the worker stops is settled once, with an error', async () => {
  let release = () => {};
  const blocked = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { fire, settled, writes, stopping } = startFanOut(() => blocked);
  fire('first');
  await new Promise((resolve) => setImmediate(resolve));
  fire('second');
  await new Promise((resolve) => setImmediate(resolve));
  // Two batches are in progress, the maximum, so the third alert waits.
  fire('third');
  stopping.abort();
  fire('fourth');
  release();
  await until('all are settled', () => settled.length === 4);
  expect(settled).toEqual([
    'third Error: The worker is stopping.',
    'fourth Error: The worker is stopping.',
    'first acknowledged',
    'second acknowledged',
  ]);
  expect(writes).toEqual([['first'], ['second']]);
});

test('the other alerts of a batch are written even if one alert of the batch cannot be written', async () => {
  const { fire, settled, writes } = startFanOut((names) => {
    if (names.includes('refused')) throw new Error('refused');
  });
  for (const name of ['a', 'b', 'refused', 'c', 'd']) fire(name);
  await until('all are settled', () => settled.length === 5);
  expect(settled.filter((line) => !line.endsWith('acknowledged'))).toEqual(['refused Error: refused']);
  expect(writes.flat().sort()).toEqual(['a', 'b', 'c', 'd']);
});

test('a missing partition fails all alerts of a batch without a second write', async () => {
  let tries = 0;
  const { fire, settled } = startFanOut(() => {
    tries += 1;
    throw Object.assign(new Error('no partition'), { code: '23514' });
  });
  for (const name of ['a', 'b', 'c']) fire(name);
  await until('all are settled', () => settled.length === 3);
  expect(tries).toBe(1);
});

test('an alert is in the first or second batch while 1,000 alerts of another workspace wait', async () => {
  const { fire, settled, writes } = startFanOut();
  for (let count = 0; count < 1_000; count += 1) fire('flood');
  fire('other', otherWorkspaceId);
  await until('all are settled', () => settled.length === 1_001);
  expect(settled).toContain('other acknowledged');
  expect(writes.findIndex((names) => names.includes('other'))).toBeLessThan(2);
});

test('a batch has at most 200 alerts', async () => {
  const { fire, settled, writes } = startFanOut(undefined, { total: 800 });
  for (let count = 0; count < 300; count += 1) fire('a');
  await until('all are settled', () => settled.length === 300);
  expect(Math.max(...writes.map((names) => names.length))).toBe(200);
});

test.each([
  [2, 'acknowledged'],
  [3, 'Error: timed out'],
])('an alert whose statement has timed out %d times is settled as: %s', async (timeouts, end) => {
  let writes = 0;
  const { fire, settled } = startFanOut(() => {
    writes += 1;
    if (writes > timeouts) return;
    throw Object.assign(new Error('timed out'), { code: '57014' });
  });
  fire('slow');
  await until('the alert is settled', () => settled.length > 0);
  expect([settled, writes]).toEqual([[`slow ${end}`], 3]);
});

test('the newest pipeline marker of a batch is written, and all its markers are acknowledged', async () => {
  const { mark, fire, marks, settled } = startFanOut();
  for (const atMs of [1_000, 3_000, 2_000]) mark(atMs);
  fire('a');
  await until('all are settled', () => settled.length === 4);
  expect(Math.max(...marks.map((atMs) => atMs ?? 0))).toBe(3_000);
  expect(settled.sort()).toEqual(['a acknowledged', ...Array(3).fill('marker acknowledged')]);
});

test('alerts of two workspaces with the same id are both written; a repeated alert is not', async () => {
  const { receive, writes, settled } = startFanOut();
  const one = alertOf('one', workspaceId);
  const other = { ...alertOf('other', otherWorkspaceId), alert_id: one.alert_id };
  for (const alert of [one, other, { ...one, model_name: 'repeated' }])
    receive(alert.model_name, JSON.stringify(alert));
  await until('all are settled', () => settled.length === 3);
  expect(writes).toEqual([['one', 'other']]);
});

test('a message from the queue alerts-unrouted is accepted if it has the routing key of alerts', async () => {
  const { fire, writes, unprocessable, settled } = startFanOut();
  fire('routed', workspaceId, { queue: 'alerts-unrouted' });
  fire('unrouted', workspaceId, { queue: 'alerts-unrouted', routingKey: 'alert.resolved' });
  fire('in its queue', workspaceId, { routingKey: 'alert.resolved' });
  await until('all are settled', () => settled.length === 3);
  expect([writes, unprocessable]).toEqual([[['routed', 'in its queue']], ['unrouted']]);
});

test.each([true, false])(
  'the open deliveries of a batch are counted after its write (write succeeds: %s)',
  async (succeeds) => {
    const { fire, opened, settled } = startFanOut(() => {
      if (!succeeds) throw new Error('refused');
    });
    fire('a');
    await until('it is settled', () => settled.length === 1);
    expect(opened).toEqual([1]);
  },
);

test.each<[string, string[], OpenDeliveriesKey[]]>([
  ['of known webhooks', [rule, 'unknown', otherRule], [{ workspaceId, webhookId: rule }]],
  ['of the workspace if it has none of the webhooks', ['unknown', otherRule], [{ workspaceId }]],
  ['of nothing for an alert without webhooks', [], []],
])('counts of open deliveries are refreshed before a write: %s', async (_, webhookIds, keys) => {
  const { fire, settled, refreshed } = startFanOut(undefined, {
    rule: (id) => ({ ...ruleOf(rule), id, webhookIds }),
    webhook: (id) => (id === 'unknown' ? undefined : webhookOf(id)),
  });
  fire('a');
  await until('it is settled', () => settled.length === 1);
  expect(refreshed).toEqual(keys);
});

const embedded = {
  name: 'embedded',
  enabled: true,
  threshold: 1,
  bound: 'upper_bound',
  notification_webhook_ids: [otherRule, rule, otherRule],
};

test('each rule of a batch, and each webhook that its messages name, is read once', async () => {
  const { receive, fire, settled, wanted } = startFanOut(undefined, { rule: () => undefined });
  for (const name of ['one', 'two'])
    receive(name, JSON.stringify({ ...alertOf(name, workspaceId), alert_rule: embedded }));
  fire('three', otherWorkspaceId);
  await until('all are settled', () => settled.length === 3);
  expect(wanted).toEqual([{ ruleIds: [rule, otherRule], webhookIds: [otherRule, rule] }]);
});

test('an alert whose rule is unknown becomes a dead letter, and others of its batch are written', async () => {
  const { fire, settled, unprocessable, writes } = startFanOut(undefined, {
    rule: (id) => (id === rule ? undefined : ruleOf(id)),
  });
  fire('unknown');
  fire('known', otherWorkspaceId);
  await until('both are settled', () => settled.length === 2);
  expect([unprocessable, writes]).toEqual([['unknown_alert_rule'], [['known']]]);
});

test('the batch size metric counts alerts and their repetitions, but no pipeline markers', async () => {
  const { mark, receive, settled, counted } = startFanOut();
  mark(1_000);
  await until('the marker is settled', () => settled.length === 1);
  expect(counted).toEqual([]);
  mark(2_000);
  const alert = JSON.stringify(alertOf('a', workspaceId));
  for (let count = 0; count < 2; count += 1) receive('a', alert);
  receive('malformed', '{');
  await until('all are settled', () => settled.length === 5);
  expect(counted).toEqual([['fan_out', 2]]);
});

test('an alert takes its request id, its publisher and the parent of its span from its message', async () => {
  const spans: unknown[] = [];
  const tracing: Tracing = {
    startSpan(...span) {
      spans.push(span);
      return { traceparent: 'of the span', end() {} };
    },
  };
  const { receive, settled, resolved } = startFanOut(undefined, { tracing });
  const alert = alertOf('a', workspaceId);
  const publisher = encryptPublisher('ada', alert, testSecretBox);
  receive('a', JSON.stringify(alert), { requestId: 'request', traceparent: 'of the message', publisher });
  receive('b', JSON.stringify(alertOf('b', workspaceId)), { publisher });
  await until('both are settled', () => settled.length === 2);
  const span = { traceparent: 'of the span' };
  expect(resolved).toMatchObject([
    { requestId: 'request', publishedBy: 'ada', span },
    { requestId: undefined, publishedBy: undefined, span },
  ]);
  const attributes = {
    'messaging.system': 'rabbitmq',
    'messaging.operation.type': 'process',
    'messaging.destination.name': 'alert-fired',
    'tocsin.alert_id': alert.alert_id,
    'tocsin.alert_rule_id': rule,
    'tocsin.workspace_id': workspaceId,
  };
  expect(spans[0]).toEqual(['fan out alert', { kind: 'consumer', parent: 'of the message', attributes }]);
});
