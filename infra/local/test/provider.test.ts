import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createProcessHost,
  findFreePorts,
  makeAccounts,
  type RunningProviderProcess,
  startProviderProcess,
} from '@tocsin/local';
import { createBrowser } from './support/signing-in-browser.js';

const consoleUri = 'http://127.0.0.1:8700/console/';
// PKCE verifier and challenge from RFC 7636, appendix B.
const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

describe('the development OpenID provider', () => {
  const accounts = makeAccounts({ workspaceId: 'w1', otherWorkspaceId: 'w2' });
  const state = mkdtempSync(join(tmpdir(), 'tocsin-provider-'));
  const processes = createProcessHost();
  let provider: RunningProviderProcess;
  let base: string;

  beforeAll(async () => {
    const [port = 0] = await findFreePorts(1);
    provider = await startProviderProcess({
      processes,
      directory: state,
      logFile: join(state, 'oidc.log'),
      settings: {
        port,
        realm: 'tocsin',
        accounts,
        audience: ['tocsin-api'],
        engineAudience: ['tocsin-engine'],
        accessTokenTtlSeconds: 60,
        refreshTokenTtlSeconds: 600,
        rotateRefreshTokens: true,
        deviceClientId: 'tocsin-cli',
        consoleClientId: 'tocsin-console',
        consoleRedirectUris: [consoleUri],
      },
    });
    base = `${provider.url}/protocol/openid-connect`;
  });
  afterAll(async () => {
    await provider.child.stop();
    processes.close();
    rmSync(state, { recursive: true });
  });

  const requestToken = async (
    form: Record<string, string>,
  ): Promise<{ status: number; body: Record<string, string> }> => {
    const response = await fetch(`${base}/token`, { method: 'POST', body: new URLSearchParams(form) });
    return { status: response.status, body: (await response.json()) as Record<string, string> };
  };
  const credentials = (name: 'admin' | 'outsider') => ({
    grant_type: 'client_credentials',
    client_id: accounts.services[name].clientId,
    client_secret: accounts.services[name].clientSecret,
  });

  test('the discovery document has the path and the endpoints of a Keycloak realm', async () => {
    const metadata = await (await fetch(`${provider.url}/.well-known/openid-configuration`)).json();
    expect(provider.url).toMatch(/\/realms\/tocsin$/);
    expect(metadata).toMatchObject({
      issuer: provider.url,
      token_endpoint: `${base}/token`,
      authorization_endpoint: `${base}/auth`,
      device_authorization_endpoint: `${base}/auth/device`,
      jwks_uri: `${base}/certs`,
      end_session_endpoint: `${base}/logout`,
    });
  });

  test('a service account receives a token with its audiences, groups and realm roles', async () => {
    const { status, body } = await requestToken(credentials('admin'));
    expect(status).toBe(200);
    expect(body.expires_in).toBe(60);
    const { header, payload } = decode(body.access_token);
    expect(header).toMatchObject({ alg: 'RS256', typ: 'JWT' });
    expect(payload).toMatchObject({
      iss: provider.url,
      sub: 'tocsin-admin',
      azp: 'tocsin-admin',
      typ: 'Bearer',
      aud: ['tocsin-api', 'tocsin-engine'],
      groups: ['/workspaces/w1/admin'],
      realm_access: { roles: ['tocsin_admin', 'tocsin_engine_admin'] },
    });
    const outsider = await requestToken(credentials('outsider'));
    expect(decode(outsider.body.access_token).payload).toMatchObject({
      aud: ['tocsin-api'],
      groups: ['/workspaces/w2/admin'],
      realm_access: { roles: [] },
    });
  });

  test.each([
    ['a name that resolves to loopback', { host: 'evil.example' }, 403],
    ['a page of another site', { origin: 'https://evil.example' }, 403],
    ['a page of the console', { origin: new URL(consoleUri).origin }, 200],
    ['this machine', {}, 200],
  ])('the provider accepts or rejects requests by Host and Origin: %s', async (_, headers, status) => {
    const address = new URL(`${base}/certs`);
    const given = await new Promise<number | undefined>((resolve, reject) => {
      request(address, { headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .once('error', reject)
        .end();
    });
    expect(given).toBe(status);
  });

  test('a wrong client secret is rejected', async () => {
    const { status, body } = await requestToken({ ...credentials('admin'), client_secret: 'wrong' });
    expect([status, body.error]).toEqual([401, 'invalid_client']);
  });

  test('a device signs in through the browser, and its refresh token is rejected at the second use', async () => {
    const device = await startDevice();
    const poll = { grant_type: deviceGrant, client_id: 'tocsin-cli', device_code: device.device_code ?? '' };
    expect((await requestToken(poll)).body.error).toBe('authorization_pending');

    const browser = createBrowser({ consoleUri });
    await browser.open(device.verification_uri_complete ?? '');
    await browser.submit({});
    expect(browser.page()).toContain(device.user_code);
    await browser.submit({});
    await browser.submit({ username: 'editor', password: 'wrong' });
    expect(browser.page()).toContain('wrong');
    await browser.submit({ username: 'editor', password: accounts.users.editor.password });
    expect(browser.page()).toContain('Your device is connected');

    const { body } = await requestToken(poll);
    expect(decode(body.access_token).payload).toMatchObject({
      aud: ['tocsin-api', 'tocsin-engine'],
      sub: 'user-editor',
      groups: ['/workspaces/w1/editor'],
    });
    const refresh = {
      grant_type: 'refresh_token',
      client_id: 'tocsin-cli',
      refresh_token: body.refresh_token ?? '',
    };
    const refreshed = await requestToken(refresh);
    expect(decode(refreshed.body.access_token).payload).toMatchObject({ sub: 'user-editor' });
    expect((await requestToken(refresh)).body.error).toBe('invalid_grant');
  });

  test('a device receives an error if the user rejects the sign-in', async () => {
    const device = await startDevice();
    const browser = createBrowser({ consoleUri });
    await browser.open(device.verification_uri_complete ?? '');
    await browser.submit({});
    await browser.submit({ abort: 'yes' });
    const poll = { grant_type: deviceGrant, client_id: 'tocsin-cli', device_code: device.device_code ?? '' };
    expect((await requestToken(poll)).body.error).toBe('access_denied');
  });

  test('the console receives a token for a code only with the PKCE verifier', async () => {
    const browser = createBrowser({ consoleUri });
    await browser.open(authorizationUrl({ code_challenge: challenge, code_challenge_method: 'S256' }));
    await browser.submit({ username: 'reader', password: accounts.users.reader.password });
    const code = new URL(browser.leftFor()).searchParams.get('code') ?? '';
    const exchange = {
      grant_type: 'authorization_code',
      client_id: 'tocsin-console',
      redirect_uri: consoleUri,
      code,
    };
    expect((await requestToken({ ...exchange, code_verifier: `${verifier}x` })).status).toBe(400);
    const browserAgain = createBrowser({ consoleUri });
    await browserAgain.open(authorizationUrl({ code_challenge: challenge, code_challenge_method: 'S256' }));
    await browserAgain.submit({ username: 'reader', password: accounts.users.reader.password });
    const fresh = new URL(browserAgain.leftFor()).searchParams.get('code') ?? '';
    const { body } = await requestToken({ ...exchange, code: fresh, code_verifier: verifier });
    expect(decode(body.access_token).payload).toMatchObject({ sub: 'user-reader' });
  });

  test('with prompt=none, no page is shown, and only a user with a session gets a code', async () => {
    const pkce = { code_challenge: challenge, code_challenge_method: 'S256', prompt: 'none' };
    const stranger = createBrowser({ consoleUri });
    await stranger.open(authorizationUrl(pkce));
    expect(new URL(stranger.leftFor()).searchParams.get('error')).toBe('login_required');

    const browser = createBrowser({ consoleUri });
    await browser.open(authorizationUrl({ code_challenge: challenge, code_challenge_method: 'S256' }));
    await browser.submit({ username: 'editor', password: accounts.users.editor.password });
    await browser.open(authorizationUrl(pkce));
    const code = new URL(browser.leftFor()).searchParams.get('code') ?? '';
    const { body } = await requestToken({
      grant_type: 'authorization_code',
      client_id: 'tocsin-console',
      redirect_uri: consoleUri,
      code,
      code_verifier: verifier,
    });
    expect(decode(body.access_token).payload).toMatchObject({ aud: ['tocsin-api', 'tocsin-engine'] });
  });

  test('CORS lets the console read discovery, keys and tokens, but lets no other page read tokens', async () => {
    const origin = new URL(consoleUri).origin;
    const allowed = async (path: string, init: RequestInit = {}) => {
      const response = await fetch(path, { ...init, headers: { origin } });
      return response.headers.get('access-control-allow-origin');
    };
    const refused = new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: 'tocsin-console',
      code: 'x',
    });
    for (const found of [
      await allowed(`${provider.url}/.well-known/openid-configuration`),
      await allowed(`${base}/certs`),
      await allowed(`${base}/token`, { method: 'POST', body: refused }),
    ])
      expect([origin, '*']).toContain(found);
    const elsewhere = await fetch(`${base}/token`, {
      method: 'POST',
      headers: { origin: 'https://evil.example' },
    });
    expect([elsewhere.status, elsewhere.headers.get('access-control-allow-origin')]).toEqual([403, null]);
  });

  test('a sign-in is rejected without PKCE, and with a redirect URI that is not registered', async () => {
    const withoutPkce = await fetch(authorizationUrl({}), { redirect: 'manual' });
    expect(withoutPkce.headers.get('location')).toContain('error=invalid_request');
    const elsewhere = await fetch(
      authorizationUrl({
        code_challenge: challenge,
        code_challenge_method: 'S256',
        redirect_uri: `${consoleUri}x`,
      }),
      { redirect: 'manual' },
    );
    expect([elsewhere.status, elsewhere.headers.get('location')]).toEqual([400, null]);
  });

  test('after a key rotation, tokens are signed with the new key, and the old key stays published', async () => {
    const before = decode((await requestToken(credentials('admin'))).body.access_token).header.kid;
    await provider.rotateKeys();
    const after = decode((await requestToken(credentials('admin'))).body.access_token).header.kid;
    expect(after).not.toBe(before);
    expect(await publishedKeys()).toEqual([after, before]);
  });

  const startDevice = async () => {
    const form = new URLSearchParams({ client_id: 'tocsin-cli', scope: 'openid' });
    const response = await fetch(`${base}/auth/device`, { method: 'POST', body: form });
    return (await response.json()) as Record<string, string>;
  };
  const authorizationUrl = (extra: Record<string, string>) =>
    `${base}/auth?${new URLSearchParams({ client_id: 'tocsin-console', response_type: 'code', scope: 'openid', redirect_uri: consoleUri, ...extra })}`;
  const publishedKeys = async () =>
    ((await (await fetch(`${base}/certs`)).json()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
});

function decode(token: string | undefined) {
  const [header, payload] = (token ?? '')
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));
  return { header: header as Record<string, unknown>, payload: payload as Record<string, unknown> };
}
