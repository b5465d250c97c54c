import { createLogger } from '@tocsin/kit';
import { createDatabaseRetry } from '../database-retry.js';
import type { DeadLetter } from './dead-letter-repository.js';
import { createDeadLetters } from './dead-letters.js';

const logger = createLogger({ service: 'test', level: 'silent' });
const databaseRetry = createDatabaseRetry({ logger, signal: new AbortController().signal });

const letterOf = (content: Buffer) => ({
  reason: 'malformed_message' as const,
  detail: '',
  queue: 'alerts',
  routingKey: 'alert.fired',
  content,
  requestId: undefined,
  redelivered: false,
});

/** Notes what is added together, each addition a turn of the event loop long; the answers to the first are lost. */
function start({ lost = 0 } = {}) {
  const added: DeadLetter[][] = [];
  const count = { now: 0, atMost: 0 };
  let clockMs = 0;
  const repository = {
    async add(letters: DeadLetter[]) {
      added.push(letters);
      count.now += 1;
      count.atMost = Math.max(count.atMost, count.now);
      await new Promise((resolve) => setImmediate(resolve));
      count.now -= 1;
      if (added.length <= lost) throw new Error('Its answer was lost.');
    },
  };
  const letters = createDeadLetters({
    repository,
    databaseRetry,
    now: async () => (clockMs += 1_000),
  });
  const add = (content: Buffer, isReturned = () => false) => letters.add(letterOf(content), isReturned);
  return { added, count, add };
}

test('a flood is added one batch after the other', async () => {
  const { added, count, add } = start();
  await Promise.all(Array.from({ length: 1_000 }, (_, index) => add(Buffer.from(`{${index}`))));
  expect(added.map((letters) => letters.length)).toEqual([200, 200, 200, 200, 200]);
  expect(count.atMost).toBe(1);
});

test('large ones are added a few megabytes at a time, and of the largest only their beginning', async () => {
  const { added, add } = start();
  const large = Array.from({ length: 10 }, () => add(Buffer.alloc(1_048_576)));
  const largest = Array.from({ length: 10 }, () => add(Buffer.alloc(1_048_577)));
  await Promise.all([...large, ...largest]);
  expect(added.map((letters) => letters.length)).toEqual([4, 4, 12]);
});

test('letters whose answer was lost are added again as they were', async () => {
  const { added, add } = start({ lost: 1 });
  await Promise.all(['{1', '{2', '{3'].map((content) => add(Buffer.from(content))));
  const [first, ...again] = added.map((letters) => letters.map(({ id }) => id));
  expect(first).toHaveLength(3);
  expect(again.flat()).toEqual(first);
});

test('of what is handed back while it waits nothing is written', async () => {
  const { added, add } = start({ lost: 1 });
  const contents = ['{1', '{2'].map((text) => Buffer.from(text));
  // When its first try has failed.
  const isReturned = () => added.length > 0;
  expect(await Promise.all([add(contents[0]!), add(contents[1]!, isReturned)])).toEqual([true, false]);
  expect(added.map((letters) => letters.map(({ content }) => content))).toEqual([contents, [contents[0]]]);
});
