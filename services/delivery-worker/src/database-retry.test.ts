import { createLogger } from '@tocsin/kit';
import { createDatabaseRetry } from './database-retry.js';

const { jest } = import.meta;

afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

const silent = createLogger({ service: 'test', level: 'silent' });
const failing = (code: string) => Object.assign(new Error(code), { code });

function start(logger = silent) {
  const stopping = new AbortController();
  const databaseRetry = createDatabaseRetry({ logger, signal: stopping.signal });
  const events: string[] = [];
  databaseRetry.availability.on('unavailable', () => events.push('unavailable'));
  databaseRetry.availability.on('available', () => events.push('available'));
  return { databaseRetry, events, stopping };
}

/** Returns a function that throws an error with the next code at each call, and succeeds when no code is left. */
function failingWith(...codes: string[]) {
  return async () => {
    const code = codes.shift();
    if (code !== undefined) throw failing(code);
    return 'done';
  };
}

const tenConflicts = Array.from({ length: 10 }, () => '40P01');

test('an outage resets the count of conflicts, so ten before it and ten after it are retried', async () => {
  const { databaseRetry, events } = start();
  const work = failingWith(...tenConflicts, 'ECONNREFUSED', ...tenConflicts);
  expect(await databaseRetry.retryWhileUnavailable(work)).toBe('done');
  expect(events).toEqual(['unavailable', 'available']);
});

test('while the database is unavailable, a call is repeated with a backoff from 50 ms to 2 s', async () => {
  jest.useFakeTimers();
  jest.spyOn(Math, 'random').mockReturnValue(1);
  const { databaseRetry, stopping } = start();
  const triedAtMs: number[] = [];
  const startedAtMs = Date.now();
  const waiting = databaseRetry.retryWhileUnavailable(async () => {
    triedAtMs.push(Date.now() - startedAtMs);
    throw failing('ECONNREFUSED');
  });
  const failed = expect(waiting).rejects.toThrow('ECONNREFUSED');
  await jest.advanceTimersByTimeAsync(8_000);
  expect(triedAtMs).toEqual([0, 50, 150, 350, 750, 1_550, 3_150, 5_150, 7_150]);
  stopping.abort();
  await failed;
});

test('the eleventh conflict of a call in a row is thrown', async () => {
  const { databaseRetry } = start();
  await expect(databaseRetry.retryWhileUnavailable(failingWith(...tenConflicts, '40P01'))).rejects.toThrow(
    '40P01',
  );
});

test('a statement that exceeded its time limit is not retried', async () => {
  const { databaseRetry, events } = start();
  await expect(databaseRetry.retryWhileUnavailable(failingWith('57014'))).rejects.toThrow('57014');
  expect(events).toEqual([]);
});

test('an outage lasts from the first retry of a call until no call waits for the database', async () => {
  const { databaseRetry, events } = start();
  const outage = () => failingWith('ECONNREFUSED', 'ECONNREFUSED');
  await Promise.all([
    databaseRetry.retryWhileUnavailable(outage()),
    databaseRetry.retryWhileUnavailable(outage()),
  ]);
  expect(events).toEqual(['unavailable', 'available']);
});

test('a worker that stops does not wait for the database any longer', async () => {
  const { databaseRetry, events, stopping } = start();
  const waiting = databaseRetry.retryWhileUnavailable(() => Promise.reject(failing('ECONNREFUSED')));
  setImmediate(() => stopping.abort());
  await expect(waiting).rejects.toThrow('ECONNREFUSED');
  expect(events).toEqual(['unavailable', 'available']);
});

test('replaceInvalid replaces a batch item only if the database rejects the value of the item', async () => {
  const { databaseRetry } = start();
  let otherErrors = 3;
  const replaced: number[] = [];
  const batcher = databaseRetry.createBatcher<number, number>({
    commit: async (items) => {
      if (otherErrors > 0) {
        otherErrors -= 1;
        throw failing('XX000');
      }
      if (items.includes(5)) throw failing('22P05');
      return items;
    },
    replaceInvalid(item) {
      replaced.push(item);
      return -item;
    },
    maxSize: 200,
    concurrency: 1,
  });
  const items = Array.from({ length: 20 }, (_, index) => index);
  expect(await Promise.all(items.map(batcher.add))).toEqual(items.map((item) => (item === 5 ? -5 : item)));
  expect(replaced).toEqual([5]);
});

test('only the first of each thirty consecutive failures of a batch item is logged', async () => {
  jest.useFakeTimers();
  const failures: unknown[] = [];
  const logger = Object.assign(Object.create(silent), {
    warn: (fields: { failures: number }, event: string) => failures.push([event, fields.failures]),
  });
  const { databaseRetry } = start(logger);
  const work = failingWith(...Array(32).fill('XX000'));
  const batcher = databaseRetry.createBatcher<number, void>({
    commit: async () => void (await work()),
    maxSize: 1,
    concurrency: 1,
  });
  const added = batcher.add(1);
  await jest.advanceTimersByTimeAsync(600_000);
  await added;
  expect(failures).toEqual([
    ['database.postponed', 1],
    ['database.postponed', 31],
  ]);
});

test('a worker that stops while the database is unavailable rejects the whole batch', async () => {
  const { databaseRetry, stopping } = start();
  let commits = 0;
  const batcher = databaseRetry.createBatcher<number, void>({
    commit: async () => {
      commits += 1;
      stopping.abort();
      throw failing('ECONNREFUSED');
    },
    maxSize: 200,
    concurrency: 1,
  });
  const ends = await Promise.allSettled([1, 2, 3, 4].map(batcher.add));
  expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(['rejected']));
  expect(commits).toBe(1);
});

test('while a call waits, failure() returns the start of the outage and the latest error', async () => {
  const { databaseRetry, stopping } = start();
  expect(databaseRetry.failure()).toBeUndefined();
  const beforeMs = performance.now();
  const seen: unknown[] = [];
  const since: number[] = [];
  const codes = ['ECONNREFUSED', '25006'];
  const waiting = databaseRetry.retryWhileUnavailable(async () => {
    const { sinceMs = 0, error = undefined } = databaseRetry.failure() ?? {};
    since.push(sinceMs);
    seen.push((error as { code?: string } | undefined)?.code);
    const code = codes.shift();
    if (code !== undefined) throw failing(code);
    return databaseRetry.retryWhileUnavailable(failingWith('ECONNRESET'));
  });
  expect(await waiting).toBe('done');
  expect(seen).toEqual([undefined, 'ECONNREFUSED', '25006']);
  expect([since[1]! >= beforeMs, since[2]]).toEqual([true, since[1]]);
  expect(databaseRetry.failure()).toBeUndefined();
  stopping.abort();
});
