import { createMetrics } from '@tocsin/kit';
import { until } from '@tocsin/testing';
import type { Identity } from '../src/index.js';
import { createTestIdentity, makeKey, type SigningKey, sign, useProvider } from './support/provider.js';

const provider = useProvider({ each: 'test' });
let first: SigningKey;
let second: SigningKey;
let identity: Identity;
let clockSkewMs: number;

beforeAll(async () => {
  [first, second] = [await makeKey('first'), await makeKey('second')];
});

beforeEach(() => {
  provider.state.keys = [first.publicJwk];
  clockSkewMs = 0;
  identity = createTestIdentity({ issuer: provider.issuer }, { now: () => Date.now() + clockSkewMs });
});

const tokenOf = (key: SigningKey, claims = {}) => sign({ key, issuer: provider.issuer, claims });

test('concurrent callers share one fetch of the keys', async () => {
  const tokens = await Promise.all([1, 2, 3, 4].map((n) => tokenOf(first, { sub: `caller-${n}` })));
  await Promise.all(tokens.map((token) => identity.verifyToken(token)));
  expect(provider.state.fetches).toBe(1);
});

test('a new key of the provider is fetched with the first token that uses it', async () => {
  await identity.verifyToken(await tokenOf(first));
  provider.state.keys = [first.publicJwk, second.publicJwk];
  await expect(identity.verifyToken(await tokenOf(second))).resolves.toMatchObject({ subject: 'ada' });
});

test('a flood of 30 unknown key ids gets 401 and causes fewer than 20 fetches', async () => {
  await identity.verifyToken(await tokenOf(first));
  const junk = (kid: string) => sign({ key: second, issuer: provider.issuer, header: { kid } });
  const flood = Array.from({ length: 40 }, async (_, n) =>
    expect(identity.verifyToken(await junk(`made-up-${n % 30}`))).rejects.toMatchObject({ status: 401 }),
  );
  await Promise.all(flood);
  expect(provider.state.fetches).toBeLessThan(20);
  await expect(identity.verifyToken(await tokenOf(first, { sub: 'eve' }))).resolves.toBeDefined();
});

test("a token gets 503 with Retry-After until the provider's keys are known", async () => {
  provider.state.failing = true;
  const token = await tokenOf(first);
  await expect(identity.verifyToken(token)).rejects.toMatchObject({
    status: 503,
    retryAfterSeconds: expect.any(Number),
  });
  provider.state.failing = false;
  await until('the keys are there', () => identity.verifyToken(token).then(Boolean, () => false));
});

test('the last valid keys are used while the provider is unavailable', async () => {
  await identity.verifyToken(await tokenOf(first));
  provider.state.failing = true;
  await expect(identity.verifyToken(await tokenOf(first, { sub: 'bob' }))).resolves.toMatchObject({
    subject: 'bob',
  });
  // While the key cannot be fetched, the token is neither accepted nor rejected as invalid.
  await expect(identity.verifyToken(await tokenOf(second))).rejects.toMatchObject({ status: 503 });
  await expect(identity.verifyToken(await tokenOf(first, { sub: 'eve' }))).resolves.toBeDefined();
});

test('an empty key set does not replace valid keys', async () => {
  await identity.verifyToken(await tokenOf(first));
  provider.state.keys = [];
  await expect(identity.verifyToken(await tokenOf(second))).rejects.toMatchObject({ status: 503 });
  await expect(identity.verifyToken(await tokenOf(first, { sub: 'bob' }))).resolves.toBeDefined();
});

test('a discovery document that names another issuer is rejected', async () => {
  provider.state.metadata = { issuer: 'https://evil.example' };
  await expect(identity.verifyToken(await tokenOf(first))).rejects.toMatchObject({ status: 503 });
});

test('a cached token is rejected when it has expired', async () => {
  const token = await tokenOf(first);
  await identity.verifyToken(token);
  // The token is valid for 330 s: 300 s, and 30 s because the clocks of provider and service can differ.
  for (const validMs of [290_000, 325_000]) {
    clockSkewMs = validMs;
    await expect(identity.verifyToken(token)).resolves.toBeDefined();
  }
  clockSkewMs = 331_000;
  await expect(identity.verifyToken(token)).rejects.toMatchObject({ status: 401 });
});

test('keys are fetched from discoveryUrl if it differs from the issuer', async () => {
  const outside = 'http://outside.invalid/realms/tocsin';
  provider.state.metadata = { issuer: outside };
  const behind = createTestIdentity({ issuer: outside, discoveryUrl: provider.issuer });
  const token = await sign({ key: first, issuer: outside });
  await expect(behind.verifyToken(token)).resolves.toMatchObject({ issuer: outside });
  await expect(behind.verifyToken(await sign({ key: first, issuer: provider.issuer }))).rejects.toMatchObject(
    { status: 401 },
  );
});

test('token checks are counted by result', async () => {
  const metrics = createMetrics({ service: 'test' });
  const counting = createTestIdentity({ issuer: provider.issuer }, { metrics });
  const token = await tokenOf(first);
  provider.state.failing = true;
  await expect(counting.verifyToken(token)).rejects.toMatchObject({ status: 503 });
  provider.state.failing = false;
  const later = async () => counting.verifyToken(token).catch(() => undefined);
  while ((await later()) === undefined) await new Promise((resolve) => setTimeout(resolve, 50));
  await counting.verifyToken(token);
  await expect(counting.verifyToken('not.a.token')).rejects.toMatchObject({ status: 401 });
  const { text } = await metrics.expose();
  for (const result of ['valid', 'cached', 'invalid', 'unavailable']) {
    expect(text).toMatch(
      new RegExp(`tocsin_token_checks_total\\{result="${result}",service="test"\\} [1-9]`),
    );
  }
});
