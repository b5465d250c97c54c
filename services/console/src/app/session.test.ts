import { ErrorResponse, type User } from 'oidc-client-ts';
import { createSession } from './session.js';

/** Creates a session whose token expires after the given time. `renewals` are the results of its renewals in order. */
function setUp(expiresInSeconds: number, renewals: (Error | string)[], refreshToken?: string) {
  let user = userOf('first', expiresInSeconds, refreshToken);
  let redirects = 0;
  let requests = 0;
  const session = createSession({
    manager: {
      getUser: async () => user,
      async signinSilent() {
        requests += 1;
        const renewal = renewals.shift();
        if (typeof renewal !== 'string') throw renewal;
        user = userOf(renewal, 300, refreshToken);
        return user;
      },
    },
    redirect() {
      redirects += 1;
      return new Promise(() => undefined);
    },
  });
  return { session, redirects: () => redirects, requests: () => requests };
}

function userOf(access_token: string, expires_in: number, refresh_token: string | undefined): User {
  return { access_token, expires_in, refresh_token } as User;
}

const networkError = new TypeError('Failed to fetch');
const ended = new ErrorResponse({ error: 'invalid_grant' });

test('a token that expires soon is renewed once for all waiting callers', async () => {
  const { session, requests } = setUp(20, ['second'], 'refresh');
  expect(await Promise.all([session.token(), session.token()])).toEqual(['second', 'second']);
  expect(requests()).toBe(1);
});

test('a token is used until it expires if its renewal fails, and the next request renews it', async () => {
  const { session, redirects } = setUp(20, [networkError, 'second'], 'refresh');
  expect(await session.token()).toBe('first');
  expect(await session.token()).toBe('second');
  expect(redirects()).toBe(0);
});

test.each([
  ['a network error', networkError],
  ['a temporary error of the provider', new ErrorResponse({ error: 'temporarily_unavailable' })],
  ['an error of a proxy', new ErrorResponse({ error: 'Service Unavailable' })],
])('after a token has expired, %s at its renewal fails only one request', async (_, error) => {
  const { session, redirects } = setUp(0, [error, 'second'], 'refresh');
  await expect(session.token()).rejects.toThrow('Your session could not be renewed');
  expect(await session.token()).toBe('second');
  expect(redirects()).toBe(0);
});

test('a token that the API rejected is not used again if its renewal fails', async () => {
  const { session, redirects } = setUp(200, [networkError, 'second'], 'refresh');
  await expect(session.token({ rejected: 'first' })).rejects.toThrow('Your session could not be renewed');
  expect(await session.token({ rejected: 'first' })).toBe('second');
  expect(redirects()).toBe(0);
});

test('requests after the provider has rejected the refresh token share one redirect', async () => {
  const { session, redirects } = setUp(20, [ended, ended], 'refresh');
  const results = await Promise.allSettled([session.token(), session.token()]);
  await expect(session.token()).rejects.toThrow('Your session has ended');
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(redirects()).toBe(1);
});

test('a token without a refresh token is used until it expires or the API rejects it', async () => {
  const { session, redirects } = setUp(20, []);
  expect(await session.token()).toBe('first');
  expect(redirects()).toBe(0);
  await expect(session.token({ rejected: 'first' })).rejects.toThrow('Your session has ended');
  expect(redirects()).toBe(1);
});
