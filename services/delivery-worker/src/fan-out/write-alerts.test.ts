import { createLogger, type Logger } from '@tocsin/kit';
import { until } from '@tocsin/testing';
import { createDatabaseRetry } from '../database-retry.js';
import type { ClaimedDelivery } from '../delivery/claimed-delivery.js';
import type { Window } from '../dispatch/window.js';
import type { FanOutDeps } from './fan-out-deps.js';
import type { PlannedAlert, PlannedDelivery } from './plan.js';
import { writeAlerts } from './write-alerts.js';

const lost = Object.assign(new Error('no response'), { code: 'ETIMEDOUT' });
const deadlock = Object.assign(new Error('deadlock'), { code: '40P01' });
const refused = Object.assign(new Error('no such column'), { code: '42703' });

interface Response {
  ids: string[];
  suppressed?: string[];
}

interface Given {
  states?: Record<string, PlannedDelivery['state']>;
  /** Fields of the alert in addition to its ids. */
  alert?: object;
  span?: boolean;
  alerts?: 'none';
  markedAtMs?: number;
  /** Result of the claim after a lost reply: the claimed deliveries, or the error to throw. */
  claims?: string[] | Error;
}

const threeStates = { ours: 'claimed', any: 'queued', later: 'waiting' } as const;

/**
 * Writes an alert with three deliveries: `ours` is claimed, `any` is queued and `later` waits. Each try gets the next
 * entry of `responses`: an error to throw, or the ids of the written rows.
 */
async function write(responses: (Error | string[] | Response)[], given: Given = {}) {
  const tries: { acceptedAtMs: number; token: string; markedAtMs?: number | undefined }[] = [];
  const claimedBy: string[] = [];
  const sent: ClaimedDelivery[] = [];
  const published: string[] = [];
  const releasedSlots: string[] = [];
  let wakes = 0;
  const releasedPlaces: string[] = [];
  const metrics: unknown[] = [];
  const logged: unknown[] = [];
  const spanEnds: unknown[] = [];
  const planned = (id: string, state: PlannedDelivery['state']) => ({
    id,
    state,
    webhookId: `webhook of ${id}`,
    webhook: { version: 7, enabled: true, retryOnTimeout: false },
    slot: state === 'claimed' ? { release: () => releasedSlots.push(id) } : undefined,
  });
  const span = { traceparent: '00-trace', end: (options: unknown) => spanEnds.push(options) };
  const alert = {
    resolved: {
      alert: { workspace_id: 'ws', alert_id: 'a', alert_rule_id: 'r', ...given.alert },
      ruleName: 'Rule',
      threshold: 0.4,
      bound: 'upper_bound',
      outcome: 'dispatched',
      ...(given.span && { span, requestId: 'req' }),
    },
    recordId: 'alert',
    deliveries: Object.entries(given.states ?? threeStates).map(([id, state]) => planned(id, state)),
  } as unknown as PlannedAlert;
  const log = (level: string) => (fields: object, event: string) => void logged.push([level, event, fields]);
  const logger = Object.fromEntries(['debug', 'info', 'success', 'warn'].map((level) => [level, log(level)]));
  const silent = createLogger({ service: 'test', level: 'silent' });
  const deps = {
    repository: {
      async write(_: PlannedAlert[], as: (typeof tries)[number]) {
        tries.push(as);
        const response = responses.shift()!;
        if (response instanceof Error) throw response;
        const { ids, suppressed = [] } = Array.isArray(response) ? { ids: response } : response;
        return { ids: new Set(ids), suppressed: new Set(suppressed), claimedAtMs: 30_000 };
      },
    },
    claims: {
      async claim(due, token) {
        claimedBy.push(token);
        expect(due).toEqual([{ deliveryId: 'ours', run: 1 }]);
        const { claims = [] } = given;
        if (claims instanceof Error) throw claims;
        return claims.map((deliveryId) => ({ deliveryId }) as ClaimedDelivery);
      },
    },
    databaseRetry: createDatabaseRetry({ logger: silent, signal: new AbortController().signal }),
    delivery: { start: (claimed) => sent.push(claimed), acquireAtWrite: () => undefined },
    publish: async (due) => {
      expect(due).toEqual([{ deliveryId: 'any', run: 1 }]);
      return published.push('any');
    },
    onWaiting() {
      wakes += 1;
    },
    window: { release: (webhookId: string) => releasedPlaces.push(webhookId) } as unknown as Window,
    logger: logger as unknown as Logger,
    metrics: {
      alertFannedOut: (fields) => metrics.push(fields),
      batch() {},
      ended: (outcome) => metrics.push(outcome),
      webhookOverQuota: () => metrics.push('over quota'),
    },
  } satisfies Partial<FanOutDeps>;
  const failure = await writeAlerts(
    given.alerts === 'none' ? [] : [alert],
    { acceptedAtMs: 1_000, markedAtMs: given.markedAtMs },
    deps,
  ).catch((error: unknown) => error);
  const released = { releasedSlots, releasedPlaces };
  return { tries, claimedBy, sent, published, ...released, wakes, metrics, logged, spanEnds, failure };
}

const all = ['alert', 'ours', 'any', 'later'];

test('claimed deliveries are sent, queued ones published, and waiting ones wake the dispatcher', async () => {
  const result = await write([all]);
  expect(result).toMatchObject({
    published: ['any'],
    claimedBy: [],
    releasedSlots: [],
    releasedPlaces: [],
    wakes: 1,
    failure: undefined,
  });
  expect(result.sent).toMatchObject([
    { deliveryId: 'ours', run: 1, claim: 1, claimedAtMs: 30_000, webhook: { version: 7 } },
  ]);
});

test('the dispatcher is notified only if a delivery was written as waiting', async () => {
  const states = { any: 'queued', gone: 'webhook_deleted' } as const;
  expect((await write([['alert', 'any', 'gone']], { states })).wakes).toBe(0);
  const later = { later: 'waiting', gone: 'webhook_deleted' } as const;
  const woken = await write([['alert', 'later', 'gone']], { states: later });
  expect([woken.wakes, woken.published]).toEqual([1, []]);
});

test('a claimed delivery contains the fields of its alert, with defaults for missing fields', async () => {
  const given = {
    model_id: 'm',
    model_name: 'Model',
    metric_value: 0.5,
    fired_at: '2026-01-02T03:04:05Z',
    is_test: true,
    state: 'resolved',
    labels: { team: 'risk' },
    annotations: { note: 'n' },
  };
  const { sent } = await write([all], { alert: given, span: true });
  const whole: ClaimedDelivery = {
    deliveryId: 'ours',
    run: 1,
    claim: 1,
    claimsWithoutOutcome: 1,
    step: 0,
    ageMs: 0,
    manual: false,
    workspaceId: 'ws',
    webhookId: 'webhook of ours',
    requestId: 'req',
    traceparent: '00-trace',
    facts: {
      ...(given as Pick<ClaimedDelivery['facts'], keyof typeof given>),
      workspace_id: 'ws',
      alert_id: 'a',
      alert_rule_id: 'r',
      alert_rule_name: 'Rule',
      threshold: 0.4,
      bound: 'upper_bound',
      notice: null,
    },
    webhook: expect.objectContaining({ version: 7, enabled: true, retryOnTimeout: false }),
    pause: undefined,
    claimedAtMs: 30_000,
  };
  expect(sent).toEqual([whole]);
  const [bare] = (await write([all])).sent;
  expect(bare).toMatchObject({ requestId: null, traceparent: null });
  expect(bare?.facts).toMatchObject({ is_test: false, state: 'firing', labels: {}, annotations: {} });
});

describe('a write whose reply was lost', () => {
  test('after a lost reply, the same write is repeated, and its claims are found by their token', async () => {
    const { tries, claimedBy, sent, published, releasedSlots } = await write([lost, []]);
    const { token } = tries[0]!;
    // Ids depend on the time of acceptance, and claims on the token. A retry with other values would write other rows.
    expect(tries).toEqual([
      { acceptedAtMs: 1_000, token, markedAtMs: undefined },
      { acceptedAtMs: 1_000, token, markedAtMs: undefined },
    ]);
    await until(
      'the slot of the delivery that another worker has claimed is released',
      () => releasedSlots.length > 0,
    );
    expect({ claimedBy, sent, published }).toEqual({ claimedBy: [token], sent: [], published: ['any'] });
  });

  test('after a lost reply, the deliveries that this worker has claimed are sent', async () => {
    const { sent, releasedSlots } = await write([lost, []], { claims: ['ours'] });
    await until('it is sent', () => sent.length === 1);
    expect([sent, releasedSlots]).toEqual([[{ deliveryId: 'ours' }], []]);
  });

  test('after a lost reply, slots are released if the worker cannot read its claims', async () => {
    const { sent, releasedSlots, logged } = await write([lost, []], { claims: refused });
    await until('the slot is released', () => releasedSlots.length === 1);
    expect([sent, logged.at(-1)]).toEqual([[], ['warn', 'fan_out.claim_failed', { err: refused }]]);
  });
});

test.each([
  ['at once', [[]]],
  ['after a deadlock', [deadlock, []]],
])(
  'a repeated alert, detected %s, is not sent and releases its slot and its queue place',
  async (_, responses) => {
    const result = await write(responses, { span: true });
    expect(result).toMatchObject({
      sent: [],
      claimedBy: [],
      published: [],
      releasedSlots: ['ours'],
      releasedPlaces: ['webhook of any'],
      wakes: 0,
      metrics: [],
      spanEnds: [{ attributes: { 'tocsin.outcome': 'repeated' } }],
    });
    const ids = { request_id: 'req', alert_id: 'a', workspace_id: 'ws', alert_rule_id: 'r' };
    expect(result.logged).toEqual([['debug', 'alert.repeated', ids]]);
  },
);

test('a failed write releases its slots and its places in the queue, and throws its error', async () => {
  const result = await write([refused], { span: true });
  expect(result).toMatchObject({
    failure: refused,
    sent: [],
    published: [],
    releasedSlots: ['ours'],
    releasedPlaces: ['webhook of any'],
    metrics: [],
    spanEnds: [{ error: 'The alert could not be written.' }],
  });
});

test('nothing is written if a batch has neither an alert nor a marker', async () => {
  expect((await write([], { alerts: 'none' })).tries).toEqual([]);
  expect((await write([[]], { alerts: 'none', markedAtMs: 5 })).tries).toMatchObject([{ markedAtMs: 5 }]);
});

describe('metrics and log of an alert', () => {
  const ids = { request_id: 'req', alert_id: 'a', workspace_id: 'ws', alert_rule_id: 'r' };

  test('an alert is counted and logged with its outcome and the number of its webhooks', async () => {
    const { metrics, logged, spanEnds } = await write([all], { span: true });
    expect(metrics).toEqual([{ outcome: 'dispatched', webhooks: 3 }]);
    const facts = { ...ids, outcome: 'dispatched', webhooks: 3, failed: 0 };
    expect(logged).toEqual([['success', 'alert.fanned_out', facts]]);
    expect(spanEnds).toEqual([{ attributes: { 'tocsin.outcome': 'dispatched', 'tocsin.deliveries': 3 } }]);
  });

  test('deliveries that are written as failed are counted with their errors', async () => {
    const states = { gone: 'webhook_deleted', full: 'over_quota', any: 'queued' } as const;
    const { metrics, logged } = await write([['alert', 'gone', 'full', 'any']], { states });
    expect(metrics).toEqual([
      { outcome: 'dispatched', webhooks: 3 },
      {
        kind: 'failed',
        failure: {
          code: 'webhook_deleted',
          error: 'The webhook has been deleted, or never was in this workspace.',
        },
      },
      {
        kind: 'failed',
        failure: { code: 'over_quota', error: 'The webhook had too many open deliveries.' },
      },
      'over quota',
    ]);
    expect(logged).toMatchObject([['info', 'alert.fanned_out', { webhooks: 3, failed: 2 }]]);
  });

  test('a suppressed alert has no deliveries, and their slots and places are released', async () => {
    const states = { ...threeStates, gone: 'webhook_deleted', full: 'over_quota' } as const;
    const result = await write([{ ids: ['alert'], suppressed: ['alert'] }], { states, span: true });
    expect(result).toMatchObject({
      metrics: [{ outcome: 'suppressed', webhooks: 0 }],
      sent: [],
      published: [],
      releasedSlots: ['ours'],
      releasedPlaces: ['webhook of any'],
      wakes: 0,
    });
    const facts = { ...ids, outcome: 'suppressed', webhooks: 0, failed: 0 };
    expect(result.logged).toEqual([['success', 'alert.fanned_out', facts]]);
    expect(result.spanEnds).toEqual([
      { attributes: { 'tocsin.outcome': 'suppressed', 'tocsin.deliveries': 0 } },
    ]);
  });
});
