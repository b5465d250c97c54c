import { until } from '@tocsin/testing';
import { threeStates, writeAlert } from '../../test/support/alert-writer.js';
import { claimed } from '../../test/support/deliverer.js';
import type { ClaimedDelivery } from '../delivery/claimed-delivery.js';

const lost = Object.assign(new Error('no response'), { code: 'ETIMEDOUT' });
const deadlock = Object.assign(new Error('deadlock'), { code: '40P01' });
const refused = Object.assign(new Error('no such column'), { code: '42703' });
const all = ['alert', 'ours', 'any', 'later'];

test('claimed deliveries are sent, queued ones are published, waiting ones notify the dispatcher', async () => {
  const result = await writeAlert([all]);
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
  expect((await writeAlert([['alert', 'any', 'gone']], { states })).wakes).toBe(0);
  const later = { later: 'waiting', gone: 'webhook_deleted' } as const;
  const woken = await writeAlert([['alert', 'later', 'gone']], { states: later });
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
  const { sent } = await writeAlert([all], { alert: given, span: true });
  const whole = claimed('webhook of ours', {
    deliveryId: 'ours',
    workspaceId: 'ws',
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
  });
  expect(sent).toEqual([whole]);
  const [bare] = (await writeAlert([all])).sent;
  expect(bare).toMatchObject({ requestId: null, traceparent: null });
  expect(bare?.facts).toMatchObject({ is_test: false, state: 'firing' });
  expect([bare?.facts.labels, bare?.facts.annotations]).toEqual([{}, {}]);
});

describe('a write whose reply was lost', () => {
  test('after a lost reply, the same write is repeated, and its claims are found by their token', async () => {
    const { tries, claimedBy, sent, published, releasedSlots } = await writeAlert([lost, []]);
    const { token } = tries[0]!;
    // Ids depend on the time of acceptance, and claims on the token. A repetition with other values would write other
    // rows.
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
    const { sent, releasedSlots } = await writeAlert([lost, []], { claims: ['ours'] });
    await until('it is sent', () => sent.length === 1);
    expect([sent, releasedSlots]).toEqual([[{ deliveryId: 'ours' }], []]);
  });

  test('after a lost reply, slots are released if the deliveries cannot be claimed', async () => {
    const { sent, releasedSlots, logged } = await writeAlert([lost, []], { claims: refused });
    await until('the slot is released', () => releasedSlots.length === 1);
    expect([sent, logged.at(-1)]).toEqual([[], ['warn', 'fan_out.claim_failed', { err: refused }]]);
  });
});

test.each([
  ['at once', [[]]],
  ['after a deadlock', [deadlock, []]],
])(
  'a repeated alert that is detected %s sends nothing and releases its slots and places',
  async (_, responses) => {
    const result = await writeAlert(responses, { span: true });
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
    expect((await writeAlert([[]])).failure).toBeUndefined();
  },
);

test('a failed write releases its slots and its places in the queue, and throws its error', async () => {
  const result = await writeAlert([refused], { span: true });
  expect(result).toMatchObject({
    failure: refused,
    sent: [],
    published: [],
    releasedSlots: ['ours'],
    releasedPlaces: ['webhook of any'],
    metrics: [],
    spanEnds: [{ error: 'The alert could not be written.' }],
  });
  expect((await writeAlert([refused])).failure).toBe(refused);
});

test('nothing is written if a batch has neither an alert nor a marker', async () => {
  expect((await writeAlert([], { alerts: 'none' })).tries).toEqual([]);
  expect((await writeAlert([[]], { alerts: 'none', markedAtMs: 5 })).tries).toMatchObject([
    { markedAtMs: 5 },
  ]);
});

describe('metrics and log of an alert', () => {
  const ids = { request_id: 'req', alert_id: 'a', workspace_id: 'ws', alert_rule_id: 'r' };

  test('an alert is counted and logged with its outcome and the number of its webhooks', async () => {
    const { metrics, logged, spanEnds } = await writeAlert([all], { span: true });
    expect(metrics).toEqual([{ outcome: 'dispatched', webhooks: 3 }]);
    const facts = { ...ids, outcome: 'dispatched', webhooks: 3, failed: 0 };
    expect(logged).toEqual([['success', 'alert.fanned_out', facts]]);
    expect(spanEnds).toEqual([{ attributes: { 'tocsin.outcome': 'dispatched', 'tocsin.deliveries': 3 } }]);
  });

  test('each delivery that is written as failed is reported to the metrics with its error', async () => {
    const states = { gone: 'webhook_deleted', full: 'over_quota', any: 'queued' } as const;
    const { metrics, logged } = await writeAlert([['alert', 'gone', 'full', 'any']], { states });
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

  test('a suppressed alert sends nothing and releases its slots and its places in the queue', async () => {
    const states = { ...threeStates, gone: 'webhook_deleted', full: 'over_quota' } as const;
    const result = await writeAlert([{ ids: ['alert'], suppressed: ['alert'] }], { states, span: true });
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
