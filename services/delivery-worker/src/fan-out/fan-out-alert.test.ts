import type { AlertFired } from '@tocsin/contracts';
import { createLogger } from '@tocsin/kit';
import type { QueueMessage } from '@tocsin/messaging';
import { until } from '@tocsin/testing';
import { createDatabaseRetry } from '../database-retry.js';
import { createWindow } from '../dispatch/window.js';
import { createSlots } from '../slots/slots.js';
import { createFanOutAlert } from './fan-out-alert.js';
import type { PlannedAlert } from './planned.js';

const silent = createLogger({ service: 'test', level: 'silent' });
const workspaceId = '11111111-1111-4111-8111-111111111111';

/** Each rule has one webhook, which has the rule's name. */
function start(held: string[]) {
  const settled: string[] = [];
  const writes: string[][] = [];
  const slots = createSlots({ total: 80, now: () => performance.now() });
  const fanOut = createFanOutAlert({
    check: (value) => ({ ok: true, value: value as AlertFired }),
    rules: {
      find: async ({ ruleIds }) => ({
        rules: new Map(
          ruleIds.map((id) => [
            id,
            {
              id,
              workspaceId,
              name: id,
              threshold: 1,
              bound: 'upper_bound',
              enabled: true,
              deleted: false,
              webhookIds: [id],
            },
          ]),
        ),
        webhooks: new Map(
          ruleIds.map((id) => [
            id,
            {
              id,
              workspaceId,
              name: id,
              destination: '',
              version: 1,
              enabled: true,
              retryOnTimeout: true,
              held: held.includes(id),
            },
          ]),
        ),
        nowMs: Date.now(),
      }),
    },
    repository: {
      async write(alerts: PlannedAlert[]) {
        writes.push(alerts.map(({ resolved }) => resolved.alert.alert_id));
        return { ids: new Set<string>(), leaseEndsAtMs: 0 };
      },
    },
    settle: (message, outcome) => (outcome.kind === 'error' ? message.retry(outcome.error) : message.ack()),
    window: createWindow({ now: () => performance.now(), queueQuota: slots.queueQuota, slots: 80 }),
    slots,
    acquireAtWrite: slots.acquireAtWrite,
    publish() {},
    begin() {},
    beginUncertain() {},
    databaseRetry: createDatabaseRetry({ logger: silent, signal: new AbortController().signal }),
    logger: silent,
    metrics: { batch() {}, alertFannedOut() {} },
  });
  const fire = (alertId: string, rule: string) => {
    const alert = { alert_id: alertId, workspace_id: workspaceId, alert_rule_id: rule, metric_value: 1 };
    fanOut.handle({
      content: Buffer.from(JSON.stringify(alert)),
      queue: 'alert-fired',
      routingKey: 'alert.fired',
      requestId: undefined,
      redelivered: false,
      isReturned: () => false,
      ack: () => settled.push(`${alertId} done`),
      retry: (error) => settled.push(`${alertId} ${error}`),
    } satisfies QueueMessage);
  };
  return { fanOut, fire, settled, writes };
}

test('alerts of a rule whose webhooks are held are gathered, and others go on ahead of them', async () => {
  const { fire, settled, writes } = start(['held']);
  fire('first', 'held');
  await until('the first is written', () => writes.length === 1);
  fire('second', 'held');
  await until('the second is written', () => writes.length === 2);
  fire('third', 'held');
  fire('fourth', 'held');
  fire('at once', 'answers');
  await until('all are settled', () => settled.length === 5);
  expect(writes).toEqual([['first'], ['second'], ['at once'], ['third', 'fourth']]);
});

test('what waits to be gathered is handed back when the worker stops, each once', async () => {
  const { fanOut, fire, settled, writes } = start(['held']);
  fire('first', 'held');
  await until('the first is settled', () => settled.length === 1);
  fire('second', 'held');
  await until('the second is settled', () => settled.length === 2);
  fire('third', 'held');
  fanOut.refuseWaiting(new Error('stopping'));
  fire('fourth', 'held');
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(settled).toEqual(['first done', 'second done', 'third Error: stopping', 'fourth Error: stopping']);
  expect(writes).toHaveLength(2);
});
