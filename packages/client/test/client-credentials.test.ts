import { ClientCredentialsSession, SessionError } from '../src/index.js';
import { createManualClock } from './support/manual-clock.js';
import { type ScriptedProvider, startScriptedProvider } from './support/scripted-provider.js';

let provider: ScriptedProvider;
const clock = createManualClock();
let session: ClientCredentialsSession;

beforeEach(async () => {
  provider = await startScriptedProvider();
  session = new ClientCredentialsSession({
    issuer: provider.issuer,
    clientId: 'me',
    clientSecret: 's+ß&',
    clock,
  });
});
afterEach(() => provider.close());

test('the credentials are sent as form fields of the token request', async () => {
  expect(await session.token()).toBe('t1');
  expect(Object.fromEntries(provider.calls[0]?.form ?? [])).toEqual({
    grant_type: 'client_credentials',
    client_id: 'me',
    client_secret: 's+ß&',
  });
});

test('a token is cached until 30 seconds before it expires', async () => {
  await session.token();
  clock.advance(269_999);
  expect(await session.token()).toBe('t1');
  clock.advance(1);
  expect(await session.token()).toBe('t2');
});

test('a thousand concurrent callers cause one token request', async () => {
  const thousand = () => Promise.all(Array.from({ length: 1000 }, () => session.token()));
  expect(new Set(await thousand())).toEqual(new Set(['t1']));
  clock.advance(280_000);
  expect(new Set(await thousand())).toEqual(new Set(['t2']));
  expect(provider.calls).toHaveLength(2);
});

test('a failed token request rejects all waiting calls, and the next call sends a new request', async () => {
  provider.script({ status: 401, body: { error: 'invalid_client', error_description: 'no such client' } });
  const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => session.token()));
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({
      status: 'rejected',
      reason: { code: 'provider_rejected', reason: 'invalid_client' },
    });
  }
  expect(provider.calls).toHaveLength(1);
  expect(await session.token()).toBe('t2');
});

test('a failed request for the metadata of the provider is repeated by the next call', async () => {
  provider.setDown(true);
  await expect(session.token()).rejects.toMatchObject({ code: 'provider_unreachable' });
  provider.setDown(false);
  expect(await session.token()).toBe('t1');
});

test('concurrent callers that report the same rejected token cause one token request', async () => {
  const rejected = await session.token();
  const tokens = await Promise.all(Array.from({ length: 50 }, () => session.token({ rejected })));
  expect(new Set(tokens)).toEqual(new Set(['t2']));
  expect(await session.token({ rejected })).toBe('t2');
  expect(provider.calls).toHaveLength(2);
});

test('aborting one caller does not abort the token request that other callers wait for', async () => {
  let release = () => {};
  const delayUntil = new Promise<void>((resolve) => {
    release = resolve;
  });
  provider.script({ body: { access_token: 'slow', token_type: 'bearer', expires_in: 60 }, delayUntil });
  const impatient = new AbortController();
  const first = session.token({ signal: impatient.signal });
  const second = session.token();
  impatient.abort(new Error('enough'));
  await expect(first).rejects.toThrow('enough');
  release();
  expect(await second).toBe('slow');
});

test('a call with an aborted signal sends no request', async () => {
  await expect(session.token({ signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });
  expect(provider.calls).toHaveLength(0);
});

test.each([
  'http://login.example.com/realms/x',
  'ftp://127.0.0.1/',
  'http://127.0.0.1.example.com/',
  'nonsense',
])('the insecure or invalid issuer %s is rejected before a secret is sent', (issuer) => {
  expect(() => new ClientCredentialsSession({ issuer, clientId: 'a', clientSecret: 'b' })).toThrow(
    SessionError,
  );
});

test("no secret is sent if the token endpoint in the provider's metadata has no TLS", async () => {
  const bent = await startScriptedProvider({ metadata: { token_endpoint: 'http://192.0.2.1/token' } });
  const options = { issuer: bent.issuer, clientId: 'a', clientSecret: 'b' };
  await expect(new ClientCredentialsSession(options).token()).rejects.toMatchObject({
    code: 'insecure_issuer',
  });
  await bent.close();
});

test('errors contain neither the secret nor a token', async () => {
  provider.script({ status: 400, body: { error: 'invalid_scope', access_token: 'leak' } });
  const error = await session.token().catch((error: unknown) => error);
  expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toMatch(/leak|s\+ß&/);
});
