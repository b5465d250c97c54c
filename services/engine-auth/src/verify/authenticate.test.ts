import type { DeploymentRole } from '@tocsin/identity';
import { AppError, Secret } from '@tocsin/kit';
import { formatRawKey } from '../api-keys/raw-key.js';
import { createAuthenticate } from './authenticate.js';

const key = { id: '6f1c2a9e-0b57-4a7e-9c0e-0d1f2a3b4c5d', secret: 'x'.repeat(43) };

/**
 * Creates an authenticate function with a fake clock. Each check of a user key or of a token takes 30 ms on that clock.
 */
function setUp({ validateKey }: { validateKey: () => Promise<boolean> }) {
  let nowMs = 1_000;
  const authenticate = createAuthenticate({
    adminKey: new Secret('the admin key'),
    validateKey: () => {
      nowMs += 30;
      return validateKey();
    },
    verifyToken: () => {
      nowMs += 30;
      return Promise.reject(new AppError('unauthenticated', 'The access token has expired.'));
    },
    wait: async (ms) => {
      nowMs += ms;
    },
    now: () => nowMs,
  });
  return async (credential: string) => {
    const startedAtMs = nowMs;
    const error = await authenticate({ authorization: `Bearer ${credential}` }).catch((thrown) => thrown);
    return [error.code ?? error.kind, nowMs - startedAtMs];
  };
}

test.each([
  ['a malformed key', 'not a key'],
  ['a wrong key', formatRawKey(key)],
  ['an invalid token', 'a.b.c'],
])('%s is rejected 200 ms after the start of its check', async (_, credential) => {
  const check = setUp({ validateKey: async () => false });
  expect(await check(credential)).toEqual(['unauthenticated', 200]);
});

test('a valid key, or a key that cannot be checked now, gets its response without delay', async () => {
  const valid = setUp({ validateKey: async () => true });
  expect(await valid(formatRawKey(key))).toEqual(['user_key', 30]);
  expect(await valid('the admin key')).toEqual(['admin_key', 0]);
  const busy = setUp({ validateKey: () => Promise.reject(new AppError('unavailable', 'Too many.')) });
  expect(await busy(formatRawKey(key))).toEqual(['unavailable', 30]);
});

const challenge = 'Bearer error="invalid_token", error_description="The credential is not valid."';

/** Creates an authenticate function with fake checks. Also returns the keys and the tokens that were checked. */
function authenticateWith({
  adminKey = new Secret('the admin key') as Secret | null,
  isValid = true,
  deploymentRoles = [] as DeploymentRole[],
} = {}) {
  const validated: unknown[] = [];
  const verified: string[] = [];
  const authenticate = createAuthenticate({
    adminKey: adminKey ?? undefined,
    async validateKey(rawKey) {
      validated.push(rawKey);
      return isValid;
    },
    async verifyToken(token) {
      verified.push(token);
      return {
        issuer: 'https://id.example',
        subject: 'ada',
        display: 'Ada',
        workspaceRoles: new Map(),
        deploymentRoles: new Set(deploymentRoles),
      };
    },
    wait: async () => {},
    now: () => 0,
  });
  return {
    authenticate: (authorization: string | undefined) => authenticate({ authorization }),
    validated,
    verified,
  };
}

test.each([undefined, '', 'Bearer', 'Basic the admin key', 'the admin key', 'xBearer the admin key'])(
  'the Authorization header %j has no bearer credential, and the error names the header',
  async (authorization) => {
    await expect(authenticateWith().authenticate(authorization)).rejects.toMatchObject({
      code: 'unauthenticated',
      detail: 'Send a key or an access token in the header Authorization: Bearer.',
      headers: undefined,
    });
  },
);

test.each([
  'Bearer ',
  'Bearer the admin key\nx',
  `Bearer ${'x'.repeat(24_577)}`,
  `Bearer ${'a.b.'.padEnd(24_577, 'c')}`,
])('a malformed Authorization header (case %#) is rejected with a challenge', async (authorization) => {
  await expect(authenticateWith().authenticate(authorization)).rejects.toMatchObject({
    code: 'unauthenticated',
    detail: 'The credential is not valid.',
    headers: { 'WWW-Authenticate': challenge },
  });
});

test('the admin key can be any text that fits into a header, up to 24,576 bytes', async () => {
  for (const text of ['the admin key', 'schlüssel €', 'voilà', 'x'.repeat(24_576)]) {
    const { authenticate, validated, verified } = authenticateWith({
      adminKey: new Secret(text),
      isValid: false,
    });
    const sent = Buffer.from(text).toString('latin1');
    expect(await authenticate(`bEARER   ${sent}`)).toMatchObject({ kind: 'admin_key' });
    await expect(authenticate(`Bearer ${sent.slice(0, -1)}`)).rejects.toBeDefined();
    expect([validated, verified]).toEqual([[], []]);
  }
});

test('if no admin key is configured, no credential is accepted as the admin key', async () => {
  const { authenticate } = authenticateWith({ adminKey: null });
  await expect(authenticate('Bearer undefined')).rejects.toMatchObject({ code: 'unauthenticated' });
});

test('a credential with the format of a user key is never verified as a token', async () => {
  const raw = formatRawKey(key);
  const valid = authenticateWith();
  expect(await valid.authenticate(`Bearer ${raw}`)).toMatchObject({ kind: 'user_key', subject: key.id });
  expect([valid.validated, valid.verified]).toEqual([[key], []]);
  const wrong = authenticateWith({ isValid: false });
  await expect(wrong.authenticate(`Bearer ${raw}`)).rejects.toMatchObject({ code: 'unauthenticated' });
  expect(wrong.verified).toEqual([]);
});

test.each(['a.b.c', 'a-_9.b.', 'aa.bb.cc'])(
  'the credential %s has the format of a token and is verified as one',
  async (token) => {
    const { authenticate, verified } = authenticateWith();
    expect(await authenticate(`Bearer ${token}`)).toMatchObject({ kind: 'jwt' });
    expect(verified).toEqual([token]);
  },
);

test.each(['a.b', 'a.b.c.d', '.b.c', 'a..c', 'a.b.c!', '!a.b.c', 'a+.b.c', 'a.b+.c'])(
  'the credential %s does not have the format of a token and is rejected unverified',
  async (token) => {
    const { authenticate, verified } = authenticateWith();
    await expect(authenticate(`Bearer ${token}`)).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(verified).toEqual([]);
  },
);

test('a token can manage keys only if it has the role tocsin_engine_admin', async () => {
  const callerWith = (role: DeploymentRole) =>
    authenticateWith({ deploymentRoles: [role] }).authenticate('Bearer a.b.c');
  expect(await callerWith('tocsin_engine_admin')).toMatchObject({ subject: 'ada', mayManageKeys: true });
  expect(await callerWith('tocsin_admin')).toMatchObject({ subject: 'ada', mayManageKeys: false });
});
