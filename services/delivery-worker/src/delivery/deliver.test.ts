import type { Sender } from '@tocsin/egress';
import type { Logger } from '@tocsin/kit';
import { createSlots } from '../slots/slots.js';
import { createCircuits } from './circuit.js';
import type { Claimed } from './claimed.js';
import { createDeliver } from './deliver.js';
import type { RenderBudget } from './render-budget.js';
import { defaultRetryPolicy } from './retry-policy.js';

let deliveries = 0;

function claimed(webhookId: string): Claimed {
  deliveries += 1;
  const ids = { deliveryId: `delivery ${deliveries}`, workspaceId: 'w', webhookId, requestId: null };
  const counts = { run: 1, claim: 1, claimsWithoutOutcome: 1, step: 0, ageMs: 0 };
  const webhook = { version: 1, enabled: true, retryOnTimeout: true };
  const leaseEndsAtMs = performance.now() + 30_000;
  return {
    ...ids,
    ...counts,
    webhook,
    leaseEndsAtMs,
    manual: false,
    hold: undefined,
    facts: {} as Claimed['facts'],
  };
}

/** Deliveries of webhooks in state `unknown` begin when `nextTick` is called. */
function start({ renderBudget = noBudget as Pick<RenderBudget, 'run'> } = {}) {
  const slots = createSlots({ total: 80, now: () => performance.now() });
  const ticks: (() => void)[] = [];
  const statuses: number[] = [];
  const sent: string[] = [];
  const recorded: string[] = [];
  const held: string[] = [];
  const claims: Claimed[] = [];
  const deferred: ((error?: Error) => void)[] = [];
  const send: Sender['send'] = async ({ url }) => {
    sent.push(url);
    return { kind: 'response', statusCode: statuses.shift()!, body: '', truncated: false, durationMs: 1 };
  };
  const deliver = createDeliver({
    claim: async () => claims.shift(),
    webhooks: { get: async (id) => ({ id, version: 1, url: id, headers: {}, body: id }) },
    render: () => ({ ok: true, output: '{}' }),
    renderBudget: { ...renderBudget, isExceeded: () => false },
    slots,
    tickThrottle: {
      schedule: (callback) => ticks.push(callback),
      wait: () => new Promise((resolve) => ticks.push(resolve)),
    },
    sender: { send } as Sender,
    recorder: {
      record: async (outcome) => void recorded.push(outcome.claimed.webhookId),
      defer: () =>
        new Promise((resolve, reject) => deferred.push((error) => (error ? reject(error) : resolve()))),
      hold: async ({ webhookId }) => void held.push(webhookId),
      release: async () => {},
    },
    circuits: createCircuits(),
    policy: defaultRetryPolicy,
    logger: { info() {} } as unknown as Logger,
    metrics: { attempted() {}, rendered() {}, ended() {}, deferred() {} },
    onAttempt() {},
    now: Date.now,
    random: () => 0.5,
  });
  const carryOut = (webhookId: string, status = 200) => {
    statuses.push(status);
    const due = claimed(webhookId);
    void deliver.claimed(due, slots.acquire(due)!);
  };
  const nextTick = async () => {
    ticks.shift()?.();
    await settled();
  };
  return { deliver, slots, sent, recorded, held, claims, deferred, carryOut, nextTick };
}

const noBudget: Pick<RenderBudget, 'run'> = { run: async (_, render) => render() };

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a webhook that answers is sent to at once, one that has not yet in its turn', async () => {
  const { sent, recorded, carryOut, nextTick } = start();
  carryOut('answers');
  await settled();
  expect(sent).toEqual([]);
  await nextTick();
  expect(recorded).toEqual(['answers']);
  carryOut('silent');
  carryOut('answers');
  await settled();
  expect(recorded).toEqual(['answers', 'answers']);
});

test('no answer overtakes a failure that came before it: five in a row are five in a row', async () => {
  const { recorded, held, carryOut, nextTick } = start();
  carryOut('flaky');
  await nextTick();
  for (let index = 0; index < 10; index += 1) carryOut('flaky', index % 2 === 0 ? 503 : 200);
  for (let turn = 0; turn < 10; turn += 1) await nextTick();
  expect(recorded).toHaveLength(11);
  expect(held).toEqual([]);
  for (let index = 0; index < 5; index += 1) carryOut('flaky', 503);
  for (let turn = 0; turn < 10; turn += 1) await nextTick();
  expect(held).toEqual(['flaky']);
});

test('a delivery of a workspace over its render budget is deferred, and frees its slot', async () => {
  const overBudget = { run: async () => undefined };
  const { slots, sent, deferred, carryOut, nextTick } = start({ renderBudget: overBudget });
  carryOut('w');
  await nextTick();
  expect([sent, deferred.length, slots.inUse()]).toEqual([[], 1, 0]);
});

/** Messages come for one delivery that can be claimed twice, and is deferred each time. */
async function startHeld() {
  const started = start();
  started.carryOut('answers');
  await started.nextTick();
  const hold = { reason: 'circuit' as const, remainingMs: 100, times: 1 };
  const first = claimed('answers');
  started.claims.push({ ...first, hold }, { ...first, claim: 2, hold });
  const came = () => started.deliver.due({ deliveryId: first.deliveryId, run: 1 }, () => {});
  return { ...started, came };
}

test('of the messages that come for one in hand, one is looked at, when that has ended', async () => {
  const { deliver, recorded, claims, deferred, came } = await startHeld();
  void came();
  await settled();
  await Promise.all([came(), came()]);
  expect([claims.length, deferred.length, recorded.length]).toEqual([1, 1, 1]);
  deferred.shift()!();
  await settled();
  expect([claims.length, deferred.length, deliver.inHand()]).toEqual([0, 1, 1]);
  deferred.shift()!();
  await settled();
  expect([claims.length, deferred.length, deliver.inHand()]).toEqual([0, 0, 0]);
});

test('what came for one in hand is looked at also where the work in hand fails', async () => {
  const { deliver, claims, deferred, came } = await startHeld();
  const failing = came();
  await settled();
  await came();
  deferred.shift()!(new Error('refused'));
  await settled();
  expect([claims.length, deferred.length, deliver.inHand()]).toEqual([0, 1, 1]);
  deferred.shift()!();
  await expect(failing).rejects.toThrow('refused');
});

test('one delivery at a time is in quarantine; others wait and keep their count', async () => {
  const { deliver, claims, deferred, sent, nextTick } = start();
  const [first, second, third] = ['a', 'b', 'c'].map((id) => ({ ...claimed(id), claimsWithoutOutcome: 4 }));
  const due = ({ deliveryId }: Claimed) => deliver.due({ deliveryId, run: 1 });
  claims.push(first!, second!, third!);
  const sending = due(first!);
  void due(second!);
  await settled();
  expect([deferred.length, sent]).toEqual([1, []]);
  await nextTick();
  await sending;
  expect(sent).toEqual(['a']);
  void due(third!);
  await settled();
  await nextTick();
  expect([deferred.length, sent]).toEqual([1, ['a', 'c']]);
});
