import { encodePipelineMarker, pipelineMarkerKey } from '@tocsin/contracts';
import { createLogger } from '@tocsin/kit';
import type { QueueMessage } from '@tocsin/messaging';
import { until } from '@tocsin/testing';
import { testSecretBox } from '@tocsin/testing/database';
import { createDatabaseRetry } from '../database-retry.js';
import { createWindow } from '../dispatch/window.js';
import { createSlots } from '../slots/slots.js';
import { createFanOut } from './fan-out.js';
import type { PlannedAlert } from './plan.js';

const logger = createLogger({ service: 'test', level: 'silent' });
const workspaceId = '11111111-1111-4111-8111-111111111111';
const rule = '22222222-2222-4222-8222-222222222222';
const otherWorkspaceId = '33333333-3333-4333-8333-333333333333';
const otherRule = '44444444-4444-4444-8444-444444444444';
const workspaceOf = (id: string) => (id === otherRule ? otherWorkspaceId : workspaceId);

/** Creates a fan-out. Each rule has one webhook, whose id is the id of the rule. */
function start(write: (names: string[]) => void | Promise<void> = () => {}) {
  const settled: string[] = [];
  const writes: string[][] = [];
  const marks: (number | undefined)[] = [];
  const opened: number[] = [];
  const unprocessable: string[] = [];
  const stopping = new AbortController();
  const { signal } = stopping;
  const slots = createSlots({ total: 80, now: () => performance.now() });
  const fanOut = createFanOut({
    rules: {
      find: async ({ ruleIds }) => ({
        rules: new Map(ruleIds.map((id) => [id, ruleOf(id)])),
        webhooks: new Map(ruleIds.map((id) => [id, webhookOf(id)])),
        nowMs: Date.now(),
      }),
    },
    repository: {
      async write(alerts: PlannedAlert[], { markedAtMs }: { markedAtMs: number | undefined }) {
        marks.push(markedAtMs);
        const names = alerts.map(({ resolved }) => resolved.alert.model_name);
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
      refresh: async () => {},
      workspaceFill: () => 0,
      webhookFill: () => 0,
      writing() {},
      written: (webhooks) => void opened.push([...webhooks].length),
    },
    databaseRetry: createDatabaseRetry({ logger, signal }),
    secrets: testSecretBox,
    logger,
    metrics: { batch() {}, alertFannedOut() {}, ended() {}, webhookOverQuota() {} },
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
  return { receive, fire, mark, settled, unprocessable, writes, marks, opened, stopping };
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

function ruleOf(id: string) {
  return {
    id,
    workspaceId: workspaceOf(id),
    name: id,
    threshold: 1,
    bound: 'upper_bound' as const,
    enabled: true,
    deleted: false,
    silenced: false,
    hasCooldown: false,
    webhookIds: [id],
  };
}

function webhookOf(id: string) {
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
  await until('both are settled', () => settled.length === 2);
  expect([writes, unprocessable]).toEqual([[['routed']], ['unrouted']]);
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
