import { DeviceSession, SessionError } from '../src/index.js';
import { createManualClock } from './support/manual-clock.js';
import { type ScriptedProvider, startScriptedProvider } from './support/scripted-provider.js';

let provider: ScriptedProvider;
const pending = { status: 400, body: { error: 'authorization_pending' } };
const granted = {
  body: { access_token: 'a1', token_type: 'Bearer', expires_in: 60, refresh_token: 'r1' },
};

async function start(device: Record<string, unknown> = {}) {
  provider = await startScriptedProvider({ device });
  const clock = createManualClock();
  return { clock, session: new DeviceSession({ issuer: provider.issuer, clientId: 'cli', clock }) };
}
afterEach(() => provider.close());
const show = () => {};

describe('logging in', () => {
  test('a login shows code and link, and polls every five seconds by default', async () => {
    const { clock, session } = await start({ verification_uri_complete: 'http://x/?c=1' });
    provider.script(pending, pending, granted);
    const shown: unknown[] = [];
    await session.login({ show: (code) => shown.push(code) });
    expect(shown).toEqual([
      {
        userCode: 'AB-CD',
        verificationUri: `${provider.issuer}/enter`,
        verificationUriComplete: 'http://x/?c=1',
        expiresInSeconds: 600,
      },
    ]);
    expect(clock.sleeps).toEqual([5_000, 5_000, 5_000]);
    expect(await session.token()).toBe('a1');
  });

  test('a login polls at the interval of the provider, and more slowly after slow_down', async () => {
    const { clock, session } = await start({ interval: 2 });
    provider.script(pending, { status: 400, body: { error: 'slow_down' } }, pending, granted);
    await session.login({ show });
    expect(clock.sleeps).toEqual([2_000, 2_000, 7_000, 7_000]);
  });

  test.each([
    ['access_denied', 'access_denied'],
    ['expired_token', 'expired_token'],
    ['invalid_client', 'provider_rejected'],
  ])('a login ends with the error %s', async (error, code) => {
    const { session } = await start();
    provider.script(pending, { status: 400, body: { error } });
    await expect(session.login({ show })).rejects.toMatchObject({ code, reason: error });
    expect(provider.calls).toHaveLength(2);
  });

  test('a login fails when its code has expired, even if the provider still reports pending', async () => {
    const { session } = await start({ expires_in: 21 });
    provider.script(...Array.from({ length: 99 }, () => pending));
    await expect(session.login({ show })).rejects.toMatchObject({ code: 'expired_token' });
    expect(provider.calls).toHaveLength(4);
  });

  test('a login continues to poll an unavailable provider, at longer intervals', async () => {
    const { clock, session } = await start();
    provider.script({ status: 502, body: 'bad gateway' }, { status: 503, body: {} }, granted);
    await session.login({ show });
    expect(clock.sleeps).toEqual([5_000, 10_000, 20_000]);
  });

  test('a login can be aborted', async () => {
    const { session } = await start();
    provider.script(pending);
    const controller = new AbortController();
    const login = session.login({ show: () => controller.abort(), signal: controller.signal });
    await expect(login).rejects.toMatchObject({ name: 'AbortError' });
    expect(provider.calls).toHaveLength(0);
  });
});

describe('staying logged in', () => {
  const refreshed = (access_token: string, refresh_token?: string) => ({
    body: { access_token, token_type: 'Bearer', expires_in: 60, refresh_token },
  });

  test('concurrent callers share one refresh, which uses the newest refresh token', async () => {
    const { clock, session } = await start();
    provider.script(granted, refreshed('a2', 'r2'), refreshed('a3'), refreshed('a4'));
    await session.login({ show });
    for (const expected of ['a2', 'a3', 'a4']) {
      clock.advance(31_000);
      const tokens = await Promise.all(Array.from({ length: 200 }, () => session.token()));
      expect(new Set(tokens)).toEqual(new Set([expected]));
    }
    const used = provider.calls.slice(1).map(({ form }) => form.get('refresh_token'));
    expect(used).toEqual(['r1', 'r2', 'r2']);
  });

  test('an expired refresh token requires a new login and is not retried', async () => {
    const { clock, session } = await start();
    provider.script(granted, { status: 400, body: { error: 'invalid_grant' } });
    await session.login({ show });
    clock.advance(31_000);
    await expect(session.token()).rejects.toMatchObject({ code: 'login_required' });
    await expect(session.token()).rejects.toMatchObject({ code: 'login_required' });
    expect(provider.calls).toHaveLength(2);
  });

  test('a session stays logged in while the provider is unavailable', async () => {
    const { clock, session } = await start();
    provider.script(granted, { status: 503, body: {} }, refreshed('a2', 'r2'));
    await session.login({ show });
    clock.advance(31_000);
    await expect(session.token()).rejects.toMatchObject({ code: 'provider_unreachable' });
    expect(await session.token()).toBe('a2');
  });

  test('a session without a login sends no request for a token', async () => {
    const { session } = await start();
    await expect(session.token()).rejects.toThrow(SessionError);
    expect(provider.calls).toHaveLength(0);
  });

  test('a request for a token after a logout rejects with login_required', async () => {
    const { session } = await start();
    provider.script(granted);
    await session.login({ show });
    await session.logout();
    await expect(session.token()).rejects.toMatchObject({ code: 'login_required' });
  });
});
