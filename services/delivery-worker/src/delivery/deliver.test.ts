import type { Sender } from '@tocsin/egress';
import type { Logger } from '@tocsin/kit';
import { createSlots } from '../slots/slots.js';
import { createCircuits } from './circuit.js';
import type { Claimed } from './claimed.js';
import { createDearRenders } from './dear-renders.js';
import { createDeliver } from './deliver.js';
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

/** A deliverer; who has not shown that it answers has no turn before `nextTurn` is called. */
function start({ dearRenders = createDearRenders() } = {}) {
  const slots = createSlots({ total: 80, now: () => performance.now() });
  const turns: (() => void)[] = [];
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
    render: (body) => {
      if (body === 'dear') spend(25);
      return { ok: true, output: '{}' };
    },
    dearRenders,
    slots,
    unhurried: {
      schedule: (begin) => turns.push(begin),
      wait: () => new Promise((resolve) => turns.push(resolve)),
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
    void deliver.claimed(due, slots.take(due)!);
  };
  const nextTurn = async () => {
    turns.shift()?.();
    await settled();
  };
  return { deliver, slots, sent, recorded, held, claims, deferred, carryOut, nextTurn };
}

/** So much time, and so much of the processor's. */
function spend(ms: number) {
  const endsAt = performance.now() + ms;
  const from = process.cpuUsage();
  const usedMs = () => (process.cpuUsage(from).user + process.cpuUsage(from).system) / 1_000;
  while (performance.now() < endsAt || usedMs() < ms);
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a webhook that answers is sent to at once, one that has not yet in its turn', async () => {
  const { sent, recorded, carryOut, nextTurn } = start();
  carryOut('answers');
  await settled();
  expect(sent).toEqual([]);
  await nextTurn();
  expect(recorded).toEqual(['answers']);
  carryOut('silent');
  carryOut('answers');
  await settled();
  expect(recorded).toEqual(['answers', 'answers']);
});

test('no answer overtakes a failure that came before it: five in a row are five in a row', async () => {
  const { recorded, held, carryOut, nextTurn } = start();
  carryOut('flaky');
  await nextTurn();
  for (let index = 0; index < 10; index += 1) carryOut('flaky', index % 2 === 0 ? 503 : 200);
  for (let turn = 0; turn < 10; turn += 1) await nextTurn();
  expect(recorded).toHaveLength(11);
  expect(held).toEqual([]);
  for (let index = 0; index < 5; index += 1) carryOut('flaky', 503);
  for (let turn = 0; turn < 10; turn += 1) await nextTurn();
  expect(held).toEqual(['flaky']);
});

test('a webhook whose body takes long to render does not stop the others: they go on between', async () => {
  const { recorded, carryOut, nextTurn } = start();
  for (const webhookId of ['dear', 'dear', 'answers']) {
    carryOut(webhookId);
    await nextTurn();
  }
  expect(recorded.splice(0)).toEqual(['dear', 'dear', 'answers']);
  for (let index = 0; index < 6; index += 1) {
    carryOut('dear');
    carryOut('answers');
  }
  while (recorded.length < 12) await settled();
  expect(recorded.slice(0, 6)).toEqual(Array(6).fill('answers'));
});

test('a dear one for which the line is too long has its slot until it is put back, one that is held has not', async () => {
  const { deliver, slots, deferred, nextTurn } = start({
    dearRenders: { ...createDearRenders(), hasRoom: () => false },
  });
  for (let rendering = 0; rendering < 2; rendering += 1) slots.rendered('dear', 25);
  const hold = { reason: 'circuit' as const, remainingMs: 100, times: 1 };
  for (const due of [claimed('dear'), { ...claimed('held'), hold }]) {
    void deliver.claimed(due, slots.take(due)!);
    await nextTurn();
  }
  expect([deferred.length, slots.taken()]).toEqual([2, 1]);
  deferred.shift()!();
  await settled();
  expect(slots.taken()).toBe(0);
});

/** Messages come for one delivery that can be claimed twice, and is deferred each time. */
async function startHeld() {
  const started = start();
  started.carryOut('answers');
  await started.nextTurn();
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
  const { deliver, claims, deferred, sent, nextTurn } = start();
  const [first, second, third] = ['a', 'b', 'c'].map((id) => ({ ...claimed(id), claimsWithoutOutcome: 4 }));
  const due = ({ deliveryId }: Claimed) => deliver.due({ deliveryId, run: 1 });
  claims.push(first!, second!, third!);
  const sending = due(first!);
  void due(second!);
  await settled();
  expect([deferred.length, sent]).toEqual([1, []]);
  await nextTurn();
  await sending;
  expect(sent).toEqual(['a']);
  void due(third!);
  await settled();
  await nextTurn();
  expect([deferred.length, sent]).toEqual([1, ['a', 'c']]);
});
