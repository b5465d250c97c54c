import { randomBytes, randomUUID } from 'node:crypto';
import { formatRawKey } from '../src/api-keys/raw-key.js';
import type { EngineAuth } from '../src/app.js';
import { createKey, useEnginePair, verify } from './support/engine.js';

const pair = useEnginePair();
let engine: EngineAuth;
let other: EngineAuth;
beforeAll(() => {
  ({ engine, other } = pair);
});

const floods: { stop(): Promise<unknown> }[] = [];

/** Stops the requests of tests that failed before they could call `stop`. */
afterEach(() => Promise.all(floods.splice(0).map((flood) => flood.stop())));

/**
 * Checks keys with random secrets and the ids that `idOf` returns, 150 at a time, until `stop` is called. `stop`
 * returns the statuses of the responses.
 */
function guess(at: EngineAuth, idOf: () => string) {
  let isOver = false;
  const statuses = new Set<number>();
  const guessing = Array.from({ length: 150 }, async () => {
    while (!isOver) {
      const raw = formatRawKey({ id: idOf(), secret: randomBytes(32).toString('base64url') });
      statuses.add((await verify(at, raw)).status);
    }
  });
  const flood = {
    async underWay() {
      while (statuses.size === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    },
    async stop() {
      isOver = true;
      await Promise.all(guessing);
      return statuses;
    },
  };
  floods.push(flood);
  return flood;
}

test('requests with wrong secrets of a key in use do not delay the checks of this key', async () => {
  const { id, key } = await createKey(other);
  expect((await verify(other, key)).status).toBe(204);
  const guesses = guess(other, () => id);
  await guesses.underWay();
  for (let count = 0; count < 5; count += 1) {
    // 20 s is longer than the cache time of 10 s, so each of these checks reads the key from the database.
    pair.clock.aheadMs += 20_000;
    expect((await verify(other, key)).status).toBe(204);
  }
  expect(await guesses.stop()).toEqual(new Set([401]));
});

test('checks of unknown key ids delay neither the first use nor the creation of a key', async () => {
  // The key is created by the other instance, so that it is not in the cache of the tested instance.
  const fresh = await createKey(other);
  const guesses = guess(engine, () => randomUUID());
  await guesses.underWay();
  expect((await verify(engine, fresh.key)).status).toBe(204);
  const { key } = await createKey(engine);
  expect((await verify(engine, key)).status).toBe(204);
  expect(await guesses.stop()).toEqual(new Set([401]));
});

test('requests with wrong secrets of an unused key can delay only the first use of this key', async () => {
  const [guessed, another] = [await createKey(other), await createKey(other)];
  const guesses = guess(engine, () => guessed.id);
  await guesses.underWay();
  const response = await verify(engine, guessed.key);
  if (response.status !== 204)
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
  expect((await verify(engine, another.key)).status).toBe(204);
  expect((await createKey(engine)).key).toBeDefined();
  expect(await guesses.stop()).toEqual(new Set([401, 503]));
  expect((await verify(engine, guessed.key)).status).toBe(204);
});

test('a rejection takes at least 200 ms; only a new wrong secret of an unused key runs bcrypt', async () => {
  const { id, key } = await createKey(other);
  const [, secret = ''] = Buffer.from(key, 'base64').toString().split(':');
  const wrong = () => formatRawKey({ id, secret: randomBytes(32).toString('base64url') });
  const bcrypts = async () => {
    const metrics = await (await fetch(`${engine.metricsUrl}/metrics`)).text();
    return Number(/^tocsin_bcrypt_seconds_count\S* (\d+)/m.exec(metrics)?.[1]);
  };
  const costs = async (credential: string) => {
    const [before, startedAtMs] = [await bcrypts(), performance.now()];
    const { status } = await verify(engine, credential);
    const tookMs = performance.now() - startedAtMs;
    // The rejection is delayed to 200 ms with `setTimeout`, which can fire up to 1 ms early.
    return [status, tookMs >= 199, (await bcrypts()) - before];
  };
  const repeated = wrong();
  for (const credential of ['no key', key.slice(1), formatRawKey({ id: randomUUID(), secret })])
    expect(await costs(credential)).toEqual([401, true, 0]);
  expect(await costs(repeated)).toEqual([401, true, 1]);
  expect(await costs(repeated)).toEqual([401, true, 0]);
  expect((await verify(engine, key)).status).toBe(204);
  expect(await costs(wrong())).toEqual([401, true, 0]);
});
