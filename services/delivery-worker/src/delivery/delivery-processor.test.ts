import { randomBytes, randomUUID } from 'node:crypto';
import { encodeDeliveriesDue } from '@tocsin/contracts';
import { createSecretBox, type Database } from '@tocsin/database';
import { createLogger } from '@tocsin/kit';
import type { QueueMessage } from '@tocsin/messaging';
import { until } from '@tocsin/testing';
import { claimed } from '../../test/support/deliverer.js';
import { createDatabaseRetry } from '../database-retry.js';
import type { MessageOutcome } from '../dead-letters/dead-letters.js';
import type { Slot } from '../slots/slots.js';
import { createDeliveryProcessor, type DeliveryProcessorDeps } from './delivery-processor.js';
import type { Outcome } from './outcome.js';

const logger = createLogger({ service: 'test', level: 'silent' });
const broken = new Error('A fault of this worker.');

/** Returns a claimed delivery of a deleted webhook. Such a delivery ends without a request. */
const claimOf = (deliveryId: string) => claimed('hook', { deliveryId, webhook: undefined, claimedAtMs: 0 });

/** Starts the delivery part of a worker with two slots. Outcomes are recorded only when `commit` is called. */
function start({ isHeld = true, failsFor = '' } = {}) {
  const asked: string[] = [];
  const settled: MessageOutcome[] = [];
  const commits: (() => void)[] = [];
  const atWrite: string[] = [];
  const ended: string[] = [];
  const prepared: string[] = [];
  const database = {
    prepared: () => new Promise<[]>((resolve) => commits.push(() => resolve([]))),
  } as unknown as Database;
  const parts = {
    database,
    secretBox: createSecretBox([{ id: 'k1', key: randomBytes(32) }]),
    slots: {
      responsivenessOf(webhookId: string) {
        if (webhookId === 'broken') throw broken;
        return webhookId === 'unknown' ? 'unknown' : 'responsive';
      },
      acquireAtWrite: ({ webhookId }: { webhookId: string }) => void atWrite.push(webhookId),
    },
    renderBudget: { allows: (workspaceId: string) => prepared.push(workspaceId) > 0 },
    sender: { send: () => Promise.reject(broken) },
    databaseRetry: createDatabaseRetry({ logger, signal: new AbortController().signal }),
    settle: (_: QueueMessage, outcome: MessageOutcome) => settled.push(outcome),
    lease: { isHeld: () => isHeld, covers: () => true },
    claims: {
      async claim(due: { deliveryId: string }[]) {
        asked.push(...due.map(({ deliveryId }) => deliveryId));
        return due.map(({ deliveryId }) =>
          deliveryId === failsFor ? { ...claimOf(deliveryId), webhookId: 'broken' } : claimOf(deliveryId),
        );
      },
    },
    logger,
    metrics: {
      batch() {},
      attempted() {},
      rendered() {},
      recorded: ({ kind }: Outcome) => ended.push(kind),
      deferred() {},
    },
    config: { slots: 2, retry: { scheduleMs: [], maxAgeMs: 60_000 } },
    onAttempt() {},
    onError() {},
  } as unknown as DeliveryProcessorDeps;
  const delivery = createDeliveryProcessor(parts);
  const commit = () => {
    for (const resolve of commits.splice(0)) resolve();
  };
  const handle = (ids: string[], isReturned = false) =>
    delivery.handleDue({
      content: encodeDeliveriesDue(ids.map((deliveryId) => ({ deliveryId, run: 1 }))),
      isReturned: () => isReturned,
    } as QueueMessage);
  const slot = () => {
    const releases: string[] = [];
    return { slot: { release: () => void releases.push('released') } as Slot, releases };
  };
  return { delivery, asked, settled, commits, commit, atWrite, ended, prepared, handle, slot };
}

const webhook = { workspaceId: 'w', webhookId: 'hook' };

test('if a delivery in flight is started again, only the slot of the second start is released', async () => {
  const { delivery, commits, commit, ended, slot } = start();
  const id = randomUUID();
  const [first, second] = [slot(), slot()];
  delivery.start(claimOf(id), first.slot);
  delivery.start(claimOf(id), second.slot);
  delivery.startLimited(claimOf(id));
  expect([second.releases, delivery.inFlightIds()]).toEqual([['released'], [id]]);
  await until('it is recorded', () => commits.length > 0);
  commit();
  await delivery.drained();
  expect([delivery.inFlightIds(), ended]).toEqual([[], ['failed']]);
});

test('a delivery of a rate-limited webhook is in flight until its outcome is committed', async () => {
  const { delivery, commits, commit } = start();
  const id = randomUUID();
  delivery.startLimited(claimOf(id));
  await until('it is recorded', () => commits.length > 0);
  expect(delivery.inFlightIds()).toEqual([id]);
  commit();
  await delivery.drained();
});

const nextTick = () => new Promise((resolve) => setImmediate(resolve));

test('one tick starts at most 32 deliveries claimed at write, round robin by workspace', async () => {
  const { delivery, prepared, slot } = start();
  const claims = ['busy', 'quiet'].flatMap((workspaceId) =>
    Array.from({ length: workspaceId === 'busy' ? 40 : 2 }, () => ({
      ...claimOf(randomUUID()),
      workspaceId,
    })),
  );
  for (const claim of claims) delivery.start(claim, slot().slot);
  await nextTick();
  expect([prepared.length, prepared.filter((id) => id === 'quiet').length]).toEqual([32, 2]);
  await nextTick();
  expect(prepared).toHaveLength(42);
});

const unknownClaim = () => ({ ...claimOf(randomUUID()), webhookId: 'unknown' });

test('for unknown webhooks, one tick starts at most four deliveries claimed by the dispatcher', async () => {
  const { delivery, prepared } = start();
  for (let count = 0; count < 6; count += 1) delivery.startLimited(unknownClaim());
  await nextTick();
  expect(prepared).toHaveLength(4);
  await nextTick();
  expect(prepared).toHaveLength(6);
});

test('expired deliveries do not wait for a tick, and are counted until they are recorded', async () => {
  const { delivery, prepared, commit } = start();
  for (let count = 0; count < 6; count += 1)
    delivery.startLimited({ ...unknownClaim(), limitedClaim: 'expired' });
  delivery.startLimited({ ...claimOf(randomUUID()), limitedClaim: 'with_request' });
  await Promise.resolve();
  expect([prepared.length, delivery.expiredInFlight()]).toEqual([7, 6]);
  await until('all are recorded', () => {
    commit();
    return delivery.expiredInFlight() === 0;
  });
});

test('one tick starts at most four claims at write and four others for unknown webhooks', async () => {
  const { delivery, prepared, slot } = start();
  for (let count = 0; count < 6; count += 1) {
    delivery.start(unknownClaim(), slot().slot);
    delivery.startLimited(unknownClaim());
  }
  await nextTick();
  expect(prepared).toHaveLength(8);
  await nextTick();
  expect(prepared).toHaveLength(12);
});

test('deliveries from the queue are claimed even if 400 claims at write wait for a tick', async () => {
  const { delivery, asked, handle, slot } = start();
  for (let count = 0; count < 400; count += 1) delivery.start(unknownClaim(), slot().slot);
  const id = randomUUID();
  handle([id]);
  for (let tick = 0; tick < 10; tick += 1) await nextTick();
  expect(asked).toEqual([id]);
});

test('a delivery of a responsive webhook starts at once if the dispatcher has claimed it', async () => {
  const { delivery, prepared } = start();
  for (let count = 0; count < 6; count += 1) delivery.startLimited(claimOf(randomUUID()));
  await Promise.resolve();
  expect(prepared).toHaveLength(6);
});

describe('a claim at write', () => {
  test('a claim at write acquires a slot only while the worker holds its lease', () => {
    const held = start();
    held.delivery.acquireAtWrite(webhook);
    expect(held.atWrite).toEqual(['hook']);
    const lost = start({ isHeld: false });
    expect(lost.delivery.acquireAtWrite(webhook)).toBeUndefined();
    expect(lost.atWrite).toEqual([]);
  });

  test('a claim at write acquires no slot while three deliveries for each slot are in flight', () => {
    const { delivery, atWrite } = start();
    for (let count = 0; count < 5; count += 1) delivery.startLimited(claimOf(randomUUID()));
    delivery.acquireAtWrite(webhook);
    delivery.startLimited(claimOf(randomUUID()));
    delivery.acquireAtWrite(webhook);
    expect(atWrite).toEqual(['hook']);
  });
});

describe('a message from the queue of deliveries', () => {
  test('a message is settled after the outcomes of all its deliveries are committed', async () => {
    const { asked, settled, commits, commit, handle } = start();
    const ids = [randomUUID(), randomUUID()];
    handle(ids);
    await until('the outcomes are being recorded', () => commits.length > 0);
    expect([asked, settled]).toEqual([ids, []]);
    await until('it is settled', () => {
      commit();
      return settled.length > 0;
    });
    expect(settled).toEqual([{ kind: 'processed' }]);
  });

  test('the deliveries of a message that was returned to the broker are not claimed', async () => {
    const { asked, settled, handle } = start();
    handle([randomUUID()], true);
    await until('it is settled', () => settled.length > 0);
    expect([asked, settled]).toEqual([[], [{ kind: 'processed' }]]);
  });

  test('a message is settled with an error if the processing of one of its deliveries throws', async () => {
    const [failing, other] = [randomUUID(), randomUUID()];
    const { settled, commits, commit, handle } = start({ failsFor: failing });
    handle([failing, other]);
    await until('the other one is being recorded', () => commits.length > 0);
    expect(settled).toEqual([]);
    commit();
    await until('the message is settled', () => settled.length > 0);
    expect(settled).toEqual([{ kind: 'error', error: broken }]);
  });

  test('with n slots, at most n + 300 deliveries are in progress, and a stop rejects all others', async () => {
    const { delivery, asked, settled, commit, commits, handle } = start();
    for (let count = 0; count < 19; count += 1) handle(Array.from({ length: 16 }, () => randomUUID()));
    await until('as many as allowed are claimed', () => asked.length >= 302 && commits.length > 0);
    expect([asked.length, delivery.inFlightIds().length]).toEqual([302, 302]);
    const stopped = new Error('The worker is stopping.');
    delivery.rejectWaiting(stopped);
    handle([randomUUID()]);
    await until('all messages are settled', () => {
      commit();
      return settled.length === 20;
    });
    expect(asked).toHaveLength(302);
    expect(settled.filter(({ kind }) => kind === 'error')).toEqual(
      Array(2).fill({ kind: 'error', error: stopped }),
    );
  });

  test('a message that is not a list of deliveries becomes a dead letter', () => {
    const { delivery, settled } = start();
    delivery.handleDue({ content: Buffer.from('x') } as QueueMessage);
    expect(settled).toMatchObject([{ kind: 'unprocessable', reason: 'malformed_message' }]);
  });
});
