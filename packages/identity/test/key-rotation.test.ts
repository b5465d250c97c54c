import { createLogger } from '@tocsin/kit';
import { until } from '@tocsin/testing';
import { createKeySource, fetchSigningKeys } from '../src/key-source.js';
import { makeKey, type SigningKey, useProvider } from './support/provider.js';

const provider = useProvider({ each: 'test' });
let old: SigningKey;
let rotated: SigningKey;
beforeAll(async () => {
  [old, rotated] = [await makeKey('old'), await makeKey('rotated')];
});
beforeEach(() => {
  provider.state.keys = [old.publicJwk];
});

/** Creates a key source that fetches from the test provider, with a clock that the test advances. */
function setUp() {
  const clock = { ms: 100_000 };
  let waiters: { atMs: number; go(): void }[] = [];
  const find = createKeySource({
    issuer: provider.issuer,
    fetchKeys: () => fetchSigningKeys({ issuer: provider.issuer, workspaces: 'all' }),
    logger: createLogger({ service: 'test', level: 'silent' }),
    now: () => clock.ms,
    wait: async (ms) => {
      if (ms > 0) await new Promise<void>((go) => void waiters.push({ atMs: clock.ms + ms, go }));
    },
  });
  return {
    ask: (kid: string) => find({ alg: 'RS256', kid }),
    /** Resolves when a request for a key waits until the next fetch is allowed. */
    waiting: async () => {
      for (let tries = 0; waiters.length === 0 && tries < 2_000; tries += 1)
        await new Promise((resolve) => setTimeout(resolve, 5));
    },
    advance(ms: number) {
      clock.ms += ms;
      const due = waiters.filter(({ atMs }) => atMs <= clock.ms);
      waiters = waiters.filter(({ atMs }) => atMs > clock.ms);
      for (const { go } of due) go();
    },
  };
}

const noKey = { code: 'ERR_JWKS_NO_MATCHING_KEY' };

/** Requests unknown key ids one after the other, so that no two requests share a fetch. */
async function flood(source: ReturnType<typeof setUp>, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    source.advance(10);
    await expect(source.ask(`junk-${n}`)).rejects.toMatchObject(noKey);
  }
}

test('after a flood of unknown key ids, a new key is found by one more fetch', async () => {
  const source = setUp();
  await source.ask('old');
  await flood(source, 12);
  const made = provider.state.fetches;
  source.advance(10);
  const junk = expect(source.ask('junk')).rejects.toMatchObject(noKey);
  provider.state.keys = [old.publicJwk, rotated.publicJwk];
  // 600 callers exceed the limit of 500 waiting key ids, but callers of the same id count once.
  const good = Array.from({ length: 600 }, () => source.ask('rotated'));
  await source.waiting();
  expect(provider.state.fetches).toBe(made);
  source.advance(1_000);
  for (const key of await Promise.all(good)) expect(key).toBeDefined();
  await junk;
  expect(provider.state.fetches).toBe(made + 1);
});

test('a fetch for several unknown key ids counts once towards the limit on fetches', async () => {
  const source = setUp();
  await source.ask('old');
  for (let round = 0; round < 6; round += 1) {
    source.advance(10);
    const askers = Array.from({ length: 10 }, (_, n) => source.ask(`junk-${round}-${n}`));
    for (const asked of askers) await expect(asked).rejects.toMatchObject(noKey);
  }
  expect(provider.state.fetches).toBe(7);
});

test('a rejected key id is rejected again without a fetch for one second', async () => {
  const source = setUp();
  await source.ask('old');
  await flood(source, 12);
  const made = provider.state.fetches;
  await expect(source.ask('junk-11')).rejects.toMatchObject(noKey);
  expect(provider.state.fetches).toBe(made);
  provider.state.keys = [rotated.publicJwk];
  source.advance(1_000);
  await expect(source.ask('junk-11')).rejects.toMatchObject(noKey);
  expect(provider.state.fetches).toBe(made + 1);
});

test('a key that is missing in a fetch that began before the request is found by a new fetch', async () => {
  const source = setUp();
  await source.ask('old');
  source.advance(10);
  let sendKeys = () => {};
  provider.state.keysDelay = new Promise<void>((resolve) => {
    sendKeys = resolve;
  });
  const junk = expect(source.ask('junk')).rejects.toMatchObject(noKey);
  while (provider.state.fetches < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  source.advance(10);
  const good = source.ask('rotated');
  await new Promise((resolve) => setImmediate(resolve));
  provider.state.keys = [rotated.publicJwk];
  sendKeys();
  await junk;
  expect(await good).toBeDefined();
  expect(provider.state.fetches).toBe(3);
});

test('a token with an unknown key id gets 503 if too many key ids wait for a fetch', async () => {
  const source = setUp();
  await source.ask('old');
  await flood(source, 12);
  source.advance(10);
  const asked = await Promise.all(
    Array.from({ length: 600 }, (_, n) => {
      const reply = source.ask(`more-${n}`).catch((error: unknown) => error);
      return Promise.race([reply, source.waiting().then(() => 'waits')]);
    }),
  );
  const rejected = asked.filter((reply) => reply !== 'waits');
  expect(rejected.length).toBe(100);
  expect(rejected[0]).toMatchObject({ status: 503, retryAfterSeconds: expect.any(Number) });
});

test('after a failed fetch of keys, no further fetch starts for one second', async () => {
  const source = setUp();
  let requests = 0;
  provider.state.respond = (_, response) => {
    requests += 1;
    response.writeHead(503).end();
  };
  for (let count = 0; count < 3; count += 1)
    await expect(source.ask('old')).rejects.toMatchObject({ status: 503 });
  expect(requests).toBe(1);
  source.advance(1_000);
  await expect(source.ask('old')).rejects.toMatchObject({ status: 503 });
  expect(requests).toBe(2);
});

test('keys that are 10 minutes old are fetched again, and a withdrawn key is then rejected', async () => {
  const source = setUp();
  await source.ask('old');
  provider.state.keys = [rotated.publicJwk];
  source.advance(599_999);
  expect(await source.ask('old')).toBeDefined();
  expect(provider.state.fetches).toBe(1);
  source.advance(1);
  // This request starts the background fetch, and still gets the old key.
  expect(await source.ask('old')).toBeDefined();
  const rejection = await until('the key is rejected', () =>
    source.ask('old').then(
      () => undefined,
      (error: Error) => error,
    ),
  );
  expect(rejection).toMatchObject(noKey);
});
