import type { Sender } from '@tocsin/egress';
import type { Logger } from '@tocsin/kit';
import type { WorkerMetrics } from '../metrics.js';
import { createCircuits } from './circuit.js';
import type { Claimed } from './claim-repository.js';
import { createDeliver } from './deliver.js';
import { defaultRetryPolicy } from './retry-policy.js';
import { createSlots } from './slots.js';

function claimed(webhookId: string): Claimed {
  const webhook = { version: 1, enabled: true, retryOnTimeout: true };
  const facts = {} as Claimed['facts'];
  const counts = { generation: 1, claim: 1, crashes: 1, step: 0, ageMs: 0 };
  const ids = { deliveryId: `of ${webhookId}`, workspaceId: 'w', webhookId, requestId: null };
  return {
    ...ids,
    ...counts,
    manual: false,
    facts,
    webhook,
    hold: undefined,
    leaseEndsAtMs: performance.now() + 30_000,
  };
}

/** A deliverer whose turns for what has not shown that it answers never come unless `nextTurn` is called. */
function start() {
  const slots = createSlots({ total: 80, now: () => performance.now() });
  const turns: (() => void)[] = [];
  const sent: string[] = [];
  const send: Sender['send'] = async ({ url }) => {
    sent.push(url);
    return url === 'silent'
      ? { kind: 'error', code: 'timeout', error: 'silent', durationMs: 10_000 }
      : ({ kind: 'answer', statusCode: 200, response: '', truncated: false, durationMs: 1 } as Awaited<
          ReturnType<Sender['send']>
        >);
  };
  const recorded: string[] = [];
  const record = async ({ claimed }: { claimed: Claimed }) => void recorded.push(claimed.webhookId);
  const deliver = createDeliver({
    claim: async () => undefined,
    webhooks: { get: async (id) => ({ id, version: 1, url: id, headers: {}, body: '' }) },
    render: () => ({ ok: true, output: '{}' }),
    slots,
    unhurried: {
      pass: (begin) => turns.push(begin),
      turn: () => new Promise((resolve) => turns.push(resolve)),
    },
    sender: { send } as Sender,
    recorder: { record, defer: async () => {}, hold: async () => {}, release: async () => {} },
    circuits: createCircuits(),
    policy: defaultRetryPolicy,
    logger: { info() {} } as unknown as Logger,
    metrics: { attempted() {}, ended() {}, deferred() {} } as unknown as WorkerMetrics,
    onAttempt() {},
    now: Date.now,
    random: () => 0.5,
  });
  const nextTurn = async () => {
    turns.shift()!();
    await new Promise((resolve) => setImmediate(resolve));
  };
  const carryOut = async (webhookId: string) => {
    void deliver.claimed(claimed(webhookId), slots.take(webhookId)!);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { slots, sent, recorded, nextTurn, carryOut };
}

test('a webhook that answers is sent to at once, one that has not yet in its turn', async () => {
  const { sent, recorded, nextTurn, carryOut } = start();
  await carryOut('answers');
  expect(sent).toEqual([]);
  await nextTurn();
  expect(recorded).toEqual(['answers']);
  await carryOut('silent');
  await carryOut('answers');
  expect(sent).toEqual(['answers', 'answers']);
  expect(recorded).toEqual(['answers', 'answers']);
});

test('what failed frees its slot at once, and goes on in its turn', async () => {
  const { slots, recorded, nextTurn, carryOut } = start();
  await carryOut('silent');
  await nextTurn();
  expect([slots.taken(), recorded]).toEqual([0, []]);
  await nextTurn();
  expect(recorded).toEqual(['silent']);
});
