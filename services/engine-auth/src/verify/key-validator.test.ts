import { createKeyValidator } from './key-validator.js';

const id = '6f1c2a9e-0b57-4a7e-9c0e-0d1f2a3b4c5d';
const good = { id, secret: 'good' };
const unknownId = '00000000-0000-4000-8000-000000000000';

/** A store and a "bcrypt" whose hash is `hash of {secret}`, counted, on a clock that the test moves. */
function setUp() {
  const hashes = new Map([[id, 'hash of good']]);
  const state = {
    reads: 0,
    compares: [] as string[],
    nowMs: 0,
    beforeCompare: async () => {},
    /** When each refused caller was answered. */
    refusedAtMs: [] as number[],
  };
  const read = async (key: string) => {
    state.reads += 1;
    return hashes.get(key);
  };
  const validator = createKeyValidator({
    findActiveHash: read,
    lookUp: read,
    compare: async (secret, hash) => {
      state.compares.push(hash);
      await state.beforeCompare();
      return hash === `hash of ${secret}`;
    },
    wait: async (ms) => {
      state.refusedAtMs.push(state.nowMs + ms);
    },
    now: () => state.nowMs,
  });
  return { ...validator, hashes, state };
}

test('a key that was found good is not looked up again for 10 seconds', async () => {
  const { validate, state } = setUp();
  expect(await validate(good)).toBe(true);
  state.nowMs = 9_999;
  expect(await validate(good)).toBe(true);
  expect(state.reads).toBe(1);
  state.nowMs = 10_000;
  expect(await validate(good)).toBe(true);
  expect(state.reads).toBe(2);
});

test('the 10 seconds count from the database read, however long bcrypt took', async () => {
  const { validate, state, hashes } = setUp();
  state.beforeCompare = async () => {
    state.nowMs = 8_000;
  };
  expect(await validate(good)).toBe(true);
  hashes.delete(id);
  state.nowMs = 10_001;
  expect(await validate(good)).toBe(false);
});

test('a key in use is looked up again without bcrypt, as long as its hash is the same', async () => {
  const { validate, state, hashes } = setUp();
  await validate(good);
  state.nowMs = 60_000;
  expect(await validate(good)).toBe(true);
  expect(state.compares).toHaveLength(1);
  hashes.set(id, 'hash of something else');
  state.nowMs = 120_000;
  expect(await validate(good)).toBe(false);
});

test('a wrong secret of a key in use is compared, refused, and does not disturb the key', async () => {
  const { validate, state } = setUp();
  await validate(good);
  expect(await validate({ id, secret: 'bad' })).toBe(false);
  expect(state.compares).toHaveLength(2);
  expect(await validate(good)).toBe(true);
  expect(state.compares).toHaveLength(2);
});

test('an unknown id costs no comparison, and is answered when a wrong secret is', async () => {
  const { validate, state } = setUp();
  expect(await validate({ id: unknownId, secret: 'x' })).toBe(false);
  expect(state.compares).toEqual([]);
  state.beforeCompare = async () => {
    state.nowMs = 30;
  };
  expect(await validate({ id, secret: 'x' })).toBe(false);
  expect(state.refusedAtMs).toEqual([200, 200]);
});

test.each([id, unknownId])(
  'of one id one check waits beside the one that runs, whether it exists or not',
  async (guessed) => {
    const { validate, state } = setUp();
    const guesses = Array.from({ length: 5 }, (_, index) =>
      validate({ id: guessed, secret: `guess ${index}` }),
    );
    const results = await Promise.allSettled(guesses);
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
      'rejected',
    ]);
    expect(results[4]).toMatchObject({ reason: { code: 'unavailable', retryAfterSeconds: 1 } });
    expect(state.reads).toBe(2);
    // And later ones have their turn again.
    expect(await validate({ id: guessed, secret: 'another guess' })).toBe(false);
    expect(await validate(good)).toBe(true);
  },
);

test('guesses at one id do not hold up another that is used for the first time', async () => {
  const { validate, state } = setUp();
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  state.beforeCompare = () => held;
  const guess = validate({ id, secret: 'bad' });
  expect(await validate({ id: unknownId, secret: 'x' })).toBe(false);
  release();
  expect(await guess).toBe(false);
});

test('a refused credential is refused from memory for a while', async () => {
  const { validate, state } = setUp();
  await validate({ id, secret: 'bad' });
  await validate({ id, secret: 'bad' });
  expect(state.compares).toHaveLength(1);
  state.nowMs = 10_001;
  await validate({ id, secret: 'bad' });
  expect(state.compares).toHaveLength(2);
});

test('checks of one credential at the same time share one comparison', async () => {
  const { validate, state } = setUp();
  expect(await Promise.all(Array.from({ length: 50 }, () => validate(good)))).toEqual(Array(50).fill(true));
  expect([state.reads, state.compares.length]).toEqual([1, 1]);
});

test('a forgotten key is looked up at once', async () => {
  const { validate, forget, hashes } = setUp();
  await validate(good);
  hashes.delete(id);
  expect(await validate(good)).toBe(true);
  forget(id);
  expect(await validate(good)).toBe(false);
});

test('a key that is deactivated while it is being checked does not slip into the cache', async () => {
  const { validate, forget, state, hashes } = setUp();
  state.beforeCompare = async () => {
    hashes.delete(id);
    forget(id);
  };
  expect(await validate(good)).toBe(false);
  expect(await validate(good)).toBe(false);
});

test('a fault of the database is passed on and not remembered as a refusal', async () => {
  const { state } = setUp();
  let away = true;
  const read = async () => {
    if (away) throw new Error('connection refused');
    return 'hash of good';
  };
  const validator = createKeyValidator({
    findActiveHash: read,
    lookUp: read,
    compare: async () => true,
    wait: async () => {},
    now: () => state.nowMs,
  });
  await expect(validator.validate(good)).rejects.toThrow('connection refused');
  away = false;
  expect(await validator.validate(good)).toBe(true);
});
