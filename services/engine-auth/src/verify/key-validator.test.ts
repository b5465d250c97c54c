import type { RawKey } from '../api-keys/raw-key.js';
import { createBatchedLookup, createKeyValidator } from './key-validator.js';

const id = '6f1c2a9e-0b57-4a7e-9c0e-0d1f2a3b4c5d';
const good = { id, secret: 'good' };
const unknownId = '00000000-0000-4000-8000-000000000000';

const guesses = (guessed: string): RawKey[] =>
  Array.from({ length: 1_000 }, (_, index) => ({ id: guessed, secret: `bad ${index}` }));

/** Creates a key validator with fakes: a store, a bcrypt whose hash is `hash of {secret}`, and a clock. */
function setUp() {
  const stored = new Map([[id, 'hash of good']]);
  const state = {
    reads: 0,
    compares: [] as string[],
    checks: [] as string[],
    nowMs: 0,
    beforeCompare: async () => {},
  };
  const read = async (key: string) => {
    state.reads += 1;
    return stored.get(key);
  };
  const validator = createKeyValidator({
    findActiveHash: read,
    lookUp: read,
    compare: async (secret, hash) => {
      state.compares.push(hash);
      await state.beforeCompare();
      return hash === `hash of ${secret}`;
    },
    now: () => state.nowMs,
    onChecked: (result) => state.checks.push(result),
  });
  return { ...validator, stored, state };
}

test('a valid user key is not read from the database again for 10 seconds', async () => {
  const { validate, state } = setUp();
  expect(await validate(good)).toBe(true);
  state.nowMs = 9_999;
  expect(await validate(good)).toBe(true);
  expect(state.reads).toBe(1);
  state.nowMs = 10_000;
  expect(await validate(good)).toBe(true);
  expect(state.reads).toBe(2);
  state.nowMs = 19_999;
  expect(await validate(good)).toBe(true);
  expect(state.reads).toBe(2);
});

test('a key is cached for 10 s from the start of the database query, not from the end of bcrypt', async () => {
  const { validate, state, stored } = setUp();
  state.beforeCompare = async () => {
    state.nowMs = 8_000;
  };
  expect(await validate(good)).toBe(true);
  stored.delete(id);
  state.nowMs = 10_001;
  expect(await validate(good)).toBe(false);
  expect(state.compares).toHaveLength(1);
});

test('a verified key with an unchanged hash is checked again without bcrypt', async () => {
  const { validate, state, stored } = setUp();
  await validate(good);
  state.nowMs = 60_000;
  expect(await validate(good)).toBe(true);
  expect(state.compares).toHaveLength(1);
  stored.set(id, 'hash of something else');
  state.nowMs = 120_000;
  expect(await validate(good)).toBe(false);
});

test('keys with an unknown id are rejected without bcrypt', async () => {
  const { validate, state } = setUp();
  const results = await Promise.all(guesses(unknownId).map(validate));
  expect([new Set(results), state.compares]).toEqual([new Set([false]), []]);
});

test.each([0, 60_000])(
  'wrong secrets sent %i ms after a key was verified run no bcrypt; the key stays valid',
  async (afterMs) => {
    const { validate, state } = setUp();
    await validate(good);
    state.nowMs = afterMs;
    const results = await Promise.all(guesses(id).map(validate));
    expect(new Set(results)).toEqual(new Set([false]));
    expect(await validate(good)).toBe(true);
    expect(state.compares).toHaveLength(1);
  },
);

test('a wrong secret of a key that was never verified is compared with bcrypt', async () => {
  const { validate, state } = setUp();
  expect(await validate({ id, secret: 'bad' })).toBe(false);
  expect(state.compares).toEqual(['hash of good']);
  expect(await validate(good)).toBe(true);
});

test('a check that fails because the bcrypt queue is full is not cached as a rejection', async () => {
  const { validate, state } = setUp();
  state.beforeCompare = () => Promise.reject(new Error('too many'));
  await expect(validate(good)).rejects.toThrow('too many');
  state.beforeCompare = async () => {};
  expect(await validate(good)).toBe(true);
});

test('a rejected key is rejected again from the cache for 10 seconds', async () => {
  const { validate, state } = setUp();
  await validate({ id, secret: 'bad' });
  state.nowMs = 9_999;
  expect(await validate({ id, secret: 'bad' })).toBe(false);
  expect(state.reads).toBe(1);
  state.nowMs = 10_000;
  expect(await validate({ id, secret: 'bad' })).toBe(false);
  expect(state.reads).toBe(2);
});

test('concurrent checks of one key share one bcrypt comparison', async () => {
  const { validate, state } = setUp();
  expect(await Promise.all(Array.from({ length: 50 }, () => validate(good)))).toEqual(Array(50).fill(true));
  expect([state.reads, state.compares.length]).toEqual([1, 1]);
});

test('concurrent checks of two secrets for one key id get separate results', async () => {
  const { validate } = setUp();
  const secrets = ['bad', 'good', 'worse', 'good'];
  const results = await Promise.all(secrets.map((secret) => validate({ id, secret })));
  expect(results).toEqual([false, true, false, true]);
});

test('a user key that is removed from the cache is read from the database at its next check', async () => {
  const { validate, forget, stored } = setUp();
  await validate(good);
  stored.delete(id);
  expect(await validate(good)).toBe(true);
  forget(id);
  expect(await validate(good)).toBe(false);
});

test('a key that is deactivated during its check is rejected and not cached', async () => {
  const { validate, forget, state, stored } = setUp();
  state.nowMs = 5;
  state.beforeCompare = async () => {
    stored.delete(id);
    forget(id);
  };
  expect(await validate(good)).toBe(false);
  expect(await validate(good)).toBe(false);
});

test('a key that is deactivated while its hash is read is not cached', async () => {
  const { state } = setUp();
  const readHash = async () => {
    validator.forget(id);
    state.nowMs += 1;
    return 'hash of good';
  };
  const validator = createKeyValidator({
    findActiveHash: readHash,
    lookUp: readHash,
    compare: async () => true,
    now: () => state.nowMs,
  });
  expect(await validator.validate(good)).toBe(false);
});

test('a database error of a key check is thrown and not cached as a rejection', async () => {
  const { state } = setUp();
  let isUnavailable = true;
  const validator = createKeyValidator({
    findActiveHash: async () => 'hash of good',
    lookUp: async () => {
      if (isUnavailable) throw new Error('connection refused');
      return 'hash of good';
    },
    compare: async () => true,
    now: () => state.nowMs,
  });
  await expect(validator.validate(good)).rejects.toThrow('connection refused');
  isUnavailable = false;
  expect(await validator.validate(good)).toBe(true);
});

test('each check of a key reports whether a cache has its result or the database is queried', async () => {
  const { validate, state } = setUp();
  const bad = { id, secret: 'bad' };
  const badOfUnknown = { id: unknownId, secret: 'bad' };
  for (const key of [good, good, bad, badOfUnknown, badOfUnknown]) await validate(key);
  expect(state.checks).toEqual(['looked_up', 'cached', 'cached_rejection', 'looked_up', 'cached_rejection']);
});

test('a key that is checked after its removal from the cache is verified and cached again', async () => {
  const { validate, forget, state } = setUp();
  forget(id);
  state.nowMs = 1;
  expect([await validate(good), await validate(good)]).toEqual([true, true]);
  expect(state.reads).toBe(1);
});

function setUpLookup() {
  const asked: string[][] = [];
  const queries: { resolve(): void; reject(error: Error): void }[] = [];
  const lookUp = createBatchedLookup<string>((ids) => {
    asked.push(ids);
    return new Promise((resolve, reject) => {
      queries.push({ resolve: () => resolve(new Map(ids.map((id) => [id, `hash of ${id}`]))), reject });
    });
  });
  return { lookUp, asked, queries };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('key ids that arrive during a query share the next query', async () => {
  const { lookUp, asked, queries } = setUpLookup();
  const first = lookUp('a');
  await settle();
  const others = ['b', 'c', 'b'].map((id) => lookUp(id));
  await settle();
  expect(asked).toEqual([['a']]);
  queries[0]!.resolve();
  expect(await first).toBe('hash of a');
  await settle();
  expect(asked).toEqual([['a'], ['b', 'c']]);
  queries[1]!.resolve();
  expect(await Promise.all(others)).toEqual(['hash of b', 'hash of c', 'hash of b']);
});

test('a failed query fails only the key lookups of its own batch', async () => {
  const { lookUp, queries } = setUpLookup();
  const first = lookUp('a');
  await settle();
  const second = lookUp('b');
  queries[0]!.reject(new Error('unavailable'));
  await expect(first).rejects.toThrow('unavailable');
  await settle();
  queries[1]!.resolve();
  expect(await second).toBe('hash of b');
});

test('a failed query fails all key lookups of its batch without a further query', async () => {
  const { lookUp, asked, queries } = setUpLookup();
  const first = lookUp('a');
  await settle();
  const others = Promise.allSettled([lookUp('b'), lookUp('c')]);
  queries[0]!.resolve();
  await first;
  await settle();
  queries[1]!.reject(new Error('unavailable'));
  expect((await others).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(asked).toEqual([['a'], ['b', 'c']]);
});
