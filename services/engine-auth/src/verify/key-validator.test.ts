import type { StoredSecret } from '../api-keys/api-key.js';
import { digestOf, type RawKey, secretTag } from '../api-keys/raw-key.js';
import { createBatchedLookup, createKeyValidator } from './key-validator.js';

const id = '6f1c2a9e-0b57-4a7e-9c0e-0d1f2a3b4c5d';
const good = { id, secret: 'good' };
const unknownId = '00000000-0000-4000-8000-000000000000';

const tagOf = (key: RawKey) => secretTag(digestOf(key));

/** Returns a wrong secret that has the tag of the key. */
function guessWithTag(): RawKey {
  for (let count = 0; ; count += 1) {
    const guess = { id, secret: `guess ${count}` };
    if (tagOf(guess) === tagOf(good)) return guess;
  }
}

/** Fakes: a store, a bcrypt whose hash is `hash of {secret}`, and a clock. */
function setUp({ tag = tagOf(good) }: { tag?: number | null } = {}) {
  const stored = new Map<string, StoredSecret>([[id, { hash: 'hash of good', tag }]]);
  const state = {
    reads: 0,
    compares: [] as string[],
    nowMs: 0,
    beforeCompare: async () => {},
    /** Times of the rejections. */
    rejectedAtMs: [] as number[],
    tagged: [] as [string, number][],
  };
  const read = async (key: string) => {
    state.reads += 1;
    return stored.get(key);
  };
  const validator = createKeyValidator({
    findActiveHash: async (key) => (await read(key))?.hash,
    lookUp: read,
    onUntagged: (key, added) => state.tagged.push([key, added]),
    compare: async (secret, hash) => {
      state.compares.push(hash);
      await state.beforeCompare();
      return hash === `hash of ${secret}`;
    },
    wait: async (ms) => {
      state.rejectedAtMs.push(state.nowMs + ms);
    },
    now: () => state.nowMs,
  });
  return { ...validator, stored, state };
}

test('a valid key is not read again for 10 seconds', async () => {
  const { validate, state } = setUp();
  expect(await validate(good)).toBe(true);
  state.nowMs = 9_999;
  expect(await validate(good)).toBe(true);
  expect(state.reads).toBe(1);
  state.nowMs = 10_000;
  expect(await validate(good)).toBe(true);
  expect(state.reads).toBe(2);
});

test('the 10 seconds count from the database query, not from the end of bcrypt', async () => {
  const { validate, state, stored } = setUp();
  state.beforeCompare = async () => {
    state.nowMs = 8_000;
  };
  expect(await validate(good)).toBe(true);
  stored.delete(id);
  state.nowMs = 10_001;
  expect(await validate(good)).toBe(false);
});

test('a cached key is read again without bcrypt while its hash is unchanged', async () => {
  const { validate, state, stored } = setUp();
  await validate(good);
  state.nowMs = 60_000;
  expect(await validate(good)).toBe(true);
  expect(state.compares).toHaveLength(1);
  stored.set(id, { hash: 'hash of something else', tag: tagOf(good) });
  state.nowMs = 120_000;
  expect(await validate(good)).toBe(false);
});

test('a guess with the tag of a key is compared and rejected, and the key stays cached', async () => {
  const { validate, state } = setUp();
  await validate(good);
  expect(await validate(guessWithTag())).toBe(false);
  expect(state.compares).toHaveLength(2);
  expect(await validate(good)).toBe(true);
  expect(state.compares).toHaveLength(2);
});

test.each([id, unknownId])(
  'guesses need no bcrypt and are all rejected after the same time',
  async (guessed) => {
    const { validate, state } = setUp();
    const guesses = Array.from({ length: 1_000 }, (_, index) => ({ id: guessed, secret: `bad ${index}` }));
    const wrong = guesses.filter((guess) => tagOf(guess) !== tagOf(good));
    const results = await Promise.all(wrong.map(validate));
    expect(new Set(results)).toEqual(new Set([false]));
    expect(state.compares).toEqual([]);
    expect(new Set(state.rejectedAtMs)).toEqual(new Set([200]));
    expect(await validate(good)).toBe(true);
  },
);

test('a rejection takes the same time with and without bcrypt', async () => {
  const { validate, state } = setUp();
  state.beforeCompare = async () => {
    state.nowMs = 30;
  };
  expect(await validate(guessWithTag())).toBe(false);
  expect(state.rejectedAtMs).toEqual([200]);
});

test('a key without a tag is verified by bcrypt, and its tag is reported once', async () => {
  const { validate, state } = setUp({ tag: null });
  expect(await validate({ id, secret: 'bad' })).toBe(false);
  expect(state.tagged).toEqual([]);
  expect(await validate(good)).toBe(true);
  state.nowMs = 10_000;
  expect(await validate(good)).toBe(true);
  expect(state.tagged).toEqual([[id, tagOf(good)]]);
});

test('five checks of one key wait, and further ones are rejected', async () => {
  const { validate } = setUp({ tag: null });
  const guesses = Array.from({ length: 9 }, (_, index) => validate({ id, secret: `bad ${index}` }));
  const results = await Promise.allSettled(guesses);
  expect(results.map(({ status }) => status)).toEqual([
    ...Array(6).fill('fulfilled'),
    ...Array(3).fill('rejected'),
  ]);
  expect(results[8]).toMatchObject({ reason: { code: 'unavailable', retryAfterSeconds: 1 } });
  // Checks that come later are executed again.
  expect(await validate({ id, secret: 'another guess' })).toBe(false);
  expect(await validate(good)).toBe(true);
});

test('guesses at one id do not delay another id', async () => {
  const { validate, state } = setUp({ tag: null });
  let release = () => {};
  const pending = new Promise<void>((resolve) => {
    release = resolve;
  });
  state.beforeCompare = () => pending;
  const guess = validate({ id, secret: 'bad' });
  expect(await validate({ id: unknownId, secret: 'x' })).toBe(false);
  release();
  expect(await guess).toBe(false);
});

test('a rejected key is rejected from the cache for 10 seconds', async () => {
  const { validate, state } = setUp();
  await validate({ id, secret: 'bad' });
  await validate({ id, secret: 'bad' });
  expect(state.reads).toBe(1);
  state.nowMs = 10_001;
  await validate({ id, secret: 'bad' });
  expect(state.reads).toBe(2);
});

test('concurrent checks of one key share one comparison', async () => {
  const { validate, state } = setUp();
  expect(await Promise.all(Array.from({ length: 50 }, () => validate(good)))).toEqual(Array(50).fill(true));
  expect([state.reads, state.compares.length]).toEqual([1, 1]);
});

test('a forgotten key is read again at once', async () => {
  const { validate, forget, stored } = setUp();
  await validate(good);
  stored.delete(id);
  expect(await validate(good)).toBe(true);
  forget(id);
  expect(await validate(good)).toBe(false);
});

test('a key that is deactivated during its check is not cached', async () => {
  const { validate, forget, state, stored } = setUp();
  state.beforeCompare = async () => {
    stored.delete(id);
    forget(id);
  };
  expect(await validate(good)).toBe(false);
  expect(await validate(good)).toBe(false);
});

test('a database error is thrown and not cached as a rejection', async () => {
  const { state } = setUp();
  let isUnavailable = true;
  const validator = createKeyValidator({
    findActiveHash: async () => 'hash of good',
    lookUp: async () => {
      if (isUnavailable) throw new Error('connection refused');
      return { hash: 'hash of good', tag: tagOf(good) };
    },
    onUntagged: () => {},
    compare: async () => true,
    wait: async () => {},
    now: () => state.nowMs,
  });
  await expect(validator.validate(good)).rejects.toThrow('connection refused');
  isUnavailable = false;
  expect(await validator.validate(good)).toBe(true);
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

test('ids that arrive during a query share the next query', async () => {
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

test('a failed query fails the lookups of its own batch only', async () => {
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
