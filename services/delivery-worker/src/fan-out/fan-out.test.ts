import { encodePipelineMarker, pipelineMarkerKey } from '@tocsin/contracts';
import { encryptPublisher, type OpenDeliveriesKey } from '@tocsin/deliveries';
import { createLogger, type Tracing } from '@tocsin/kit';
import type { QueueMessage } from '@tocsin/messaging';
import { until } from '@tocsin/testing';
import { testSecretBox } from '@tocsin/testing/database';
import { createDatabaseRetry } from '../database-retry.js';
import { createWindow } from '../dispatch/window.js';
import { createSlots } from '../slots/slots.js';
import { createFanOut } from './fan-out.js';
import type { PlannedAlert, ResolvedAlert } from './plan.js';
import type { RegisteredRule, TargetWebhook } from './rules-reader.js';

const logger = createLogger({ service: 'test', level: 'silent' });
const workspaceId = '11111111-1111-4111-8111-111111111111';
const rule = '22222222-2222-4222-8222-222222222222';
const otherWorkspaceId = '33333333-3333-4333-8333-333333333333';
const otherRule = '44444444-4444-4444-8444-444444444444';
const workspaceOf = (id: string) => (id === otherRule ? otherWorkspaceId : workspaceId);

interface Registered {
  rule?: (id: string) => RegisteredRule | undefined;
  webhook?: (id: string) => TargetWebhook | undefined;
  tracing?: Tracing;
  /** Number of slots of the worker. */
  total?: number;
}

const mapOf = <T>(ids: string[], find: (id: string) => T | undefined) =>
  new Map(ids.flatMap((id) => [find(id)].flatMap((found) => (found ? [[id, found] as const] : []))));

/** Creates a fan-out. By default each rule has one webhook, whose id is the id of the rule. */
function start(
  write: (names: string[]) => void | Promise<void> = () => {},
  { rule: ruleWith = ruleOf, webhook: webhookWith = webhookOf, tracing, total = 80 }: Registered = {},
) {
  const wanted: object[] = [];
  const refreshed: OpenDeliveriesKey[] = [];
  const counted: unknown[] = [];
  const resolved: ResolvedAlert[] = [];
  const settled: string[] = [];
  const writes: string[][] = [];
  const marks: (number | undefined)[] = [];
  const opened: number[] = [];
  const unprocessable: string[] = [];
  const stopping = new AbortController();
  const { signal } = stopping;
  const slots = createSlots({ total, now: () => performance.now() });
  const fanOut = createFanOut({
    rules: {
      async find({ ruleIds, webhookIds }) {
        wanted.push({ ruleIds, webhookIds });
        const rules = mapOf(ruleIds, ruleWith);
        const ofRules = [...rules.values()].flatMap((found) => found.webhookIds);
        const webhooks = mapOf([...ofRules, ...webhookIds], webhookWith);
        return { rules, webhooks, nowMs: Date.now() };
      },
    },
    repository: {
      async write(alerts: PlannedAlert[], { markedAtMs }: { markedAtMs: number | undefined }) {
        marks.push(markedAtMs);
        resolved.push(...alerts.map((planned) => planned.resolved));
        const names = alerts.map((planned) => planned.resolved.alert.model_name);
        await write(names);
        writes.push(names);
        return { ids: new Set<string>(), suppressed: new Set<string>(), claimedAtMs: 0 };
      },
    },
    claims: { claim: async () => [] },
    settle(message, outcome) {
      if (outcome.kind === 'unprocessable') unprocessable.push(outcome.reason);
      if (outcome.kind === 'error') message.retry(outcome.error);
      else message.ack();
    },
    window: createWindow({ now: () => performance.now(), queueQuota: slots.queueQuota, slots: 80 }),
    delivery: { start() {}, acquireAtWrite: slots.acquireAtWrite },
    slots,
    publish: async () => 0,
    onWaiting() {},
    openDeliveries: {
      refresh: async (keys) => void refreshed.push(...keys),
      workspaceFill: () => 0,
      webhookFill: () => 0,
      writing() {},
      written: (webhooks) => void opened.push([...webhooks].length),
    },
    databaseRetry: createDatabaseRetry({ logger, signal }),
    secrets: testSecretBox,
    logger,
    tracing,
    metrics: {
      batch: (...batch) => counted.push(batch),
      alertFannedOut() {},
      ended() {},
      webhookOverQuota() {},
    },
    signal,
  });
  const receive = (name: string, content: string | Buffer, source: Partial<QueueMessage> = {}) =>
    fanOut.handle({
      content: Buffer.from(content as string),
      queue: 'alert-fired',
      routingKey: 'alert.fired',
      requestId: undefined,
      traceparent: undefined,
      publisher: undefined,
      redelivered: false,
      isReturned: () => false,
      ack: () => settled.push(`${name} acknowledged`),
      retry: (error) => settled.push(`${name} ${error}`),
      ...source,
    });
  const fire = (name: string, workspace = workspaceId, source: Partial<QueueMessage> = {}) =>
    receive(name, JSON.stringify(alertOf(name, workspace)), source);
  const mark = (atMs: number) =>
    receive('marker', encodePipelineMarker(atMs), { routingKey: pipelineMarkerKey });
  const seen = { settled, unprocessable, writes, marks, opened, wanted, refreshed, counted, resolved };
  return { receive, fire, mark, stopping, ...seen };
}

let alerts = 0;

function alertOf(name: string, workspace: string) {
  alerts += 1;
  return {
    alert_id: `00000000-0000-4000-8000-${String(alerts).padStart(12, '0')}`,
    workspace_id: workspace,
    fired_at: '2026-01-02T03:04:05Z',
    alert_rule_id: workspace === workspaceId ? rule : otherRule,
    model_id: workspaceId,
    model_name: name,
    metric_value: 1,
  };
}

function ruleOf(id: string): RegisteredRule {
  return {
    id,
    workspaceId: workspaceOf(id),
    name: id,
    threshold: 1,
    bound: 'upper_bound',
    enabled: true,
    deleted: false,
    silenced: false,
    hasCooldown: false,
    webhookIds: [id],
  };
}

function webhookOf(id: string): TargetWebhook {
  return {
    id,
    workspaceId: workspaceOf(id),
    name: id,
    destination: '',
    version: 1,
    enabled: true,
    retryOnTimeout: true,
    paused: false,
  };
}

test('alerts that wait when the worker stops are each returned once for a retry', async () => {
  let release = () => {};
  const blocked = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { fire, settled, writes, stopping } = start(() => blocked);
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

test('an alert that cannot be written does not prevent the write of other alerts in its batch', async () => {
  const { fire, settled, writes } = start((names) => {
    if (names.includes('refused')) throw new Error('refused');
  });
  for (const name of ['a', 'b', 'refused', 'c', 'd']) fire(name);
  await until('all are settled', () => settled.length === 5);
  expect(settled.filter((line) => !line.endsWith('acknowledged'))).toEqual(['refused Error: refused']);
  expect(writes.flat().sort()).toEqual(['a', 'b', 'c', 'd']);
});

test('a missing partition fails all alerts of a batch after one write', async () => {
  let tries = 0;
  const { fire, settled } = start(() => {
    tries += 1;
    throw Object.assign(new Error('no partition'), { code: '23514' });
  });
  for (const name of ['a', 'b', 'c']) fire(name);
  await until('all are settled', () => settled.length === 3);
  expect(tries).toBe(1);
});

test('an alert is written in the next batch while 1,000 alerts of another workspace wait', async () => {
  const { fire, settled, writes } = start();
  for (let count = 0; count < 1_000; count += 1) fire('flood');
  fire('other', otherWorkspaceId);
  await until('all are settled', () => settled.length === 1_001);
  expect(settled).toContain('other acknowledged');
  expect(writes.findIndex((names) => names.includes('other'))).toBeLessThan(2);
});

test('a batch has at most 200 alerts', async () => {
  const { fire, settled, writes } = start(undefined, { total: 800 });
  for (let count = 0; count < 300; count += 1) fire('a');
  await until('all are settled', () => settled.length === 300);
  expect(Math.max(...writes.map((names) => names.length))).toBe(200);
});

test.each([
  [2, 'acknowledged'],
  [3, 'Error: timed out'],
])('an alert whose statement has timed out %d times is settled as: %s', async (timeouts, end) => {
  let writes = 0;
  const { fire, settled } = start(() => {
    writes += 1;
    if (writes > timeouts) return;
    throw Object.assign(new Error('timed out'), { code: '57014' });
  });
  fire('slow');
  await until('the alert is settled', () => settled.length > 0);
  expect([settled, writes]).toEqual([[`slow ${end}`], 3]);
});

test('the newest pipeline marker of a batch is written, and all its messages are acknowledged', async () => {
  const { mark, fire, marks, settled } = start();
  for (const atMs of [1_000, 3_000, 2_000]) mark(atMs);
  fire('a');
  await until('all are settled', () => settled.length === 4);
  expect(Math.max(...marks.map((atMs) => atMs ?? 0))).toBe(3_000);
  expect(settled.sort()).toEqual(['a acknowledged', ...Array(3).fill('marker acknowledged')]);
});

test('alerts of two workspaces with the same id are both written, and a repeated one once', async () => {
  const { receive, writes, settled } = start();
  const one = alertOf('one', workspaceId);
  const other = { ...alertOf('other', otherWorkspaceId), alert_id: one.alert_id };
  for (const alert of [one, other, { ...one, model_name: 'repeated' }])
    receive(alert.model_name, JSON.stringify(alert));
  await until('all are settled', () => settled.length === 3);
  expect(writes).toEqual([['one', 'other']]);
});

test('an unroutable message is written as an alert if it has the routing key of alerts', async () => {
  const { fire, writes, unprocessable, settled } = start();
  fire('routed', workspaceId, { queue: 'alerts-unrouted' });
  fire('unrouted', workspaceId, { queue: 'alerts-unrouted', routingKey: 'alert.resolved' });
  fire('in its queue', workspaceId, { routingKey: 'alert.resolved' });
  await until('all are settled', () => settled.length === 3);
  expect([writes, unprocessable]).toEqual([[['routed', 'in its queue']], ['unrouted']]);
});

test.each([true, false])(
  'counts of open deliveries are updated when the write ends (committed: %s)',
  async (succeeds) => {
    const { fire, opened, settled } = start(() => {
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
  const { fire, settled, refreshed } = start(undefined, {
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
  const { receive, fire, settled, wanted } = start(undefined, { rule: () => undefined });
  for (const name of ['one', 'two'])
    receive(name, JSON.stringify({ ...alertOf(name, workspaceId), alert_rule: embedded }));
  fire('three', otherWorkspaceId);
  await until('all are settled', () => settled.length === 3);
  expect(wanted).toEqual([{ ruleIds: [rule, otherRule], webhookIds: [otherRule, rule] }]);
});

test('an alert whose rule is unknown becomes a dead letter, and others of its batch are written', async () => {
  const { fire, settled, unprocessable, writes } = start(undefined, {
    rule: (id) => (id === rule ? undefined : ruleOf(id)),
  });
  fire('unknown');
  fire('known', otherWorkspaceId);
  await until('both are settled', () => settled.length === 2);
  expect([unprocessable, writes]).toEqual([['unknown_alert_rule'], [['known']]]);
});

test('the size of a batch counts its alerts, even repeated ones, and not its pipeline markers', async () => {
  const { mark, receive, settled, counted } = start();
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

test('an alert has the request id, the publisher and the span of its message', async () => {
  const spans: unknown[] = [];
  const tracing: Tracing = {
    startSpan(...span) {
      spans.push(span);
      return { traceparent: 'of the span', end() {} };
    },
  };
  const { receive, settled, resolved } = start(undefined, { tracing });
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
