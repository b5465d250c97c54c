import { createLogger } from '@tocsin/kit';
import { createDatabaseRetry } from '../database-retry.js';
import { createClaim } from './claim.js';
import type { ClaimedDelivery } from './claimed-delivery.js';

const logger = createLogger({ service: 'test', level: 'silent' });
const due = (deliveryId: string) => ({ deliveryId, run: 1 });

/**
 * Creates a claim function whose repository can claim only the deliveries in `ours`. Each call of the repository throws
 * the next error in `errors`, and succeeds when no error is left.
 */
function start({ ours = ['a', 'b'], errors = [] as Error[], waitingForTick = (): number => 0 } = {}) {
  const tries: { ids: string[]; token: string }[] = [];
  const sizes: number[] = [];
  const claim = createClaim({
    repository: {
      claimLimited: async () => [],
      async claim(batch, token) {
        const ids = batch.map(({ deliveryId }) => deliveryId);
        tries.push({ ids, token });
        const error = errors.shift();
        if (error !== undefined) throw error;
        const found = ids.filter((id) => ours.includes(id)).reverse();
        return found.map((deliveryId) => ({ deliveryId }) as ClaimedDelivery);
      },
    },
    databaseRetry: createDatabaseRetry({ logger, signal: new AbortController().signal }),
    waitingForTick,
    onBatch: (size) => sizes.push(size),
  });
  return { claim, tries, sizes };
}

test('each call of claim returns its own delivery, or undefined if another worker has claimed it', async () => {
  const { claim, sizes } = start();
  const claimed = await Promise.all(['a', 'lost', 'b'].map((id) => claim(due(id))));
  expect(claimed).toEqual([{ deliveryId: 'a' }, undefined, { deliveryId: 'b' }]);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(3);
});

test('after a lost reply, a claim is repeated with its token; the next claim has another token', async () => {
  const lost = Object.assign(new Error('no response'), { code: 'ETIMEDOUT' });
  const { claim, tries } = start({ errors: [lost] });
  await claim(due('a'));
  await claim(due('b'));
  expect(tries.map(({ ids }) => ids)).toEqual([['a'], ['a'], ['b']]);
  expect(tries[1]!.token).toBe(tries[0]!.token);
  expect(tries[2]!.token).not.toBe(tries[0]!.token);
});

test('a delivery that is claimed alone after its batch failed keeps the token of the batch', async () => {
  const { claim, tries } = start({ errors: [new Error('rejected')] });
  await Promise.all(['a', 'b'].map((id) => claim(due(id))));
  expect(tries.map(({ ids }) => ids)).toEqual([['a', 'b'], ['a'], ['b']]);
  expect(new Set(tries.map(({ token }) => token)).size).toBe(1);
});

test('a batch of claims contains at most 200 deliveries', async () => {
  const ours = Array.from({ length: 500 }, (_, index) => `d${index}`);
  const { claim, sizes } = start({ ours });
  await Promise.all(ours.map((id) => claim(due(id))));
  expect(Math.max(...sizes)).toBe(200);
});

test('no delivery is claimed while more than 50 claimed ones wait for a tick of the event loop', async () => {
  let waiting = 51;
  const { claim, tries, sizes } = start({ waitingForTick: () => waiting });
  const claimed = claim(due('a'));
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(tries).toEqual([]);
  waiting = 50;
  expect(await claimed).toMatchObject({ deliveryId: 'a' });
  await Promise.all(Array.from({ length: 120 }, (_, index) => claim(due(`d${index}`))));
  expect(Math.max(...sizes)).toBe(50);
});
