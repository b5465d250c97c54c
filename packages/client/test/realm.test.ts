import { randomUUID } from 'node:crypto';
import { makeAccounts, type RunningProvider } from '@tocsin/local';
import { ClientCredentialsSession, type DeviceCode, DeviceSession } from '../src/index.js';
import { signInDevice } from './support/browser.js';
import { createManualClock } from './support/manual-clock.js';
import { startRealm } from './support/realm.js';

/**
 * Data of the test provider. The provider is at least as strict as a Keycloak with default settings: tokens expire
 * after 60 s, a refresh token can be used once, and the signing keys change.
 */
const accounts = makeAccounts({ workspaceId: randomUUID(), otherWorkspaceId: randomUUID() });
const skewMs = 20_000;
let realm: RunningProvider;

beforeAll(async () => {
  realm = await startRealm({ accounts, engineAudience: ['tocsin-engine'] });
});
afterAll(() => realm.close());

const keyIdOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid as string;

describe.each([skewMs, 0, -skewMs])("with the client's clock %d ms ahead of the provider's clock", (skew) => {
  test("a service account renews its tokens across a rotation of the provider's keys", async () => {
    const clock = createManualClock({ startMs: Date.now() + skew });
    const { clientId, clientSecret } = accounts.services.editor;
    const session = new ClientCredentialsSession({ issuer: realm.issuer, clientId, clientSecret, clock });
    const first = await session.token();
    clock.advance(29_000);
    expect(await session.token()).toBe(first);
    await realm.rotateKeys({ forgetOld: true });
    clock.advance(2_000);
    const second = await session.token();
    expect(keyIdOf(second)).not.toBe(keyIdOf(first));
  });

  test('a login with a browser is refreshed, and each refresh token is used once', async () => {
    const { session, clock } = await logIn(skew);
    const seen = new Set([await session.token()]);
    for (let refresh = 0; refresh < 3; refresh += 1) {
      clock.advance(31_000);
      await realm.rotateKeys();
      seen.add(await session.token());
    }
    expect(seen.size).toBe(4);
    await session.logout();
    await expect(session.token()).rejects.toMatchObject({ code: 'login_required' });
  });
});

test('a denied login ends with the error access_denied', async () => {
  await expect(logIn(0, { deny: true })).rejects.toMatchObject({ code: 'access_denied' });
});

async function logIn(skew: number, { deny = false } = {}) {
  let code: DeviceCode | undefined;
  const { password } = accounts.users.reader;
  const clock = createManualClock({
    startMs: Date.now() + skew,
    whileSleeping: async (count) => {
      if (count !== 2) return;
      const verificationUri = code?.verificationUriComplete ?? '';
      await signInDevice({ verificationUri, username: 'reader', password, deny });
    },
  });
  const session = new DeviceSession({ issuer: realm.issuer, clientId: 'tocsin-cli', clock });
  await session.login({
    show: (shown) => {
      code = shown;
    },
  });
  return { session, clock };
}
