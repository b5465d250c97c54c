import { createSecretKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { AppError } from '@tocsin/kit';
import { type JWTHeaderParameters, SignJWT } from 'jose';
import type { TrustedIssuer } from './settings.js';
import { createTokenVerifier, readBearerToken } from './token-verifier.js';

const workspace = '11111111-1111-4111-8111-111111111111';
const other = '22222222-2222-4222-8222-222222222222';
const now = 1_700_000_000;
const own: TrustedIssuer = {
  issuer: 'https://id.example',
  audience: 'tocsin-api',
  groupsClaim: 'groups',
  rolesClaim: 'realm_access.roles',
  workspaces: 'all',
};
const customer: TrustedIssuer = { ...own, issuer: 'https://customer.example', workspaces: new Set([other]) };

const curves = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' };
const keysOf = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve });
const key = keysOf('P-256');
const rsaKeys = generateKeyPairSync('rsa', { modulusLength: 2_048 });

const claims = { iss: own.issuer, aud: 'tocsin-api', sub: 'ada', exp: now + 300 };

interface Parts {
  claims?: object;
  header?: Partial<JWTHeaderParameters>;
  signedWith?: KeyObject;
}

/** Signs a token. Claims that are undefined are omitted. */
function sign({
  claims: changes = {},
  header = {},
  signedWith = key.privateKey,
}: Parts = {}): Promise<string> {
  const payload = JSON.parse(JSON.stringify({ ...claims, ...changes }));
  return new SignJWT(payload).setProtectedHeader({ alg: 'ES256', ...header }).sign(signedWith);
}

const verifierFor = (publicKey: () => Promise<KeyObject>) =>
  createTokenVerifier({
    issuers: [own, customer],
    keysOf: () => publicKey,
    currentDate: () => new Date(now * 1_000),
  });
const verify = verifierFor(async () => key.publicKey);
const rejection = (token: string): Promise<AppError> =>
  verify(token).then(
    () => {
      throw new Error('The token was accepted.');
    },
    (error) => error,
  );

test('a valid token becomes a principal with its roles', async () => {
  const groups = [`/workspaces/${workspace}/editor`, `/workspaces/${other}/reader`];
  const realm_access = { roles: ['tocsin_admin', 'unknown'] };
  const token = await sign({ claims: { groups, realm_access, preferred_username: 'Ada' } });
  expect(await verify(token)).toEqual({
    principal: {
      issuer: own.issuer,
      subject: 'ada',
      display: 'Ada',
      workspaceRoles: new Map([
        [workspace, new Set(['editor'])],
        [other, new Set(['reader'])],
      ]),
      deploymentRoles: new Set(['tocsin_admin']),
    },
    expiresAtMs: (now + 300) * 1_000,
  });
});

test('a token of a customer’s issuer has roles only in the workspaces of that customer', async () => {
  const groups = [`/workspaces/${workspace}/editor`, `/workspaces/${other}/reader`];
  const realm_access = { roles: ['tocsin_admin'] };
  const { principal } = await verify(await sign({ claims: { iss: customer.issuer, groups, realm_access } }));
  expect(principal).toMatchObject({
    issuer: customer.issuer,
    workspaceRoles: new Map([[other, new Set(['reader'])]]),
    deploymentRoles: new Set(),
  });
});

test.each([
  [{ preferred_username: 'a', name: 'b', email: 'c', client_id: 'd' }, 'a'],
  [{ name: 'b', email: 'c', client_id: 'd' }, 'b'],
  [{ email: 'c', client_id: 'd' }, 'c'],
  [{ client_id: 'd' }, 'd'],
  [{}, 'ada'],
  [{ preferred_username: '', name: 'b' }, 'b'],
  [{ preferred_username: 7, name: 'b' }, 'b'],
  [{ preferred_username: 'a\u0000', name: 'b' }, 'b'],
  [{ preferred_username: `\u{1f600}${'x'.repeat(254)}` }, `\u{1f600}${'x'.repeat(254)}`],
  [{ preferred_username: 'x'.repeat(256) }, 'ada'],
])('the display name from the claims %j is %j', async (names, display) => {
  expect((await verify(await sign({ claims: names }))).principal.display).toBe(display);
});

test.each(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'])(
  'a token signed with %s is accepted',
  async (alg) => {
    const curve = curves[alg as keyof typeof curves];
    const pair = curve === undefined ? rsaKeys : keysOf(curve);
    const token = await sign({ header: { alg }, signedWith: pair.privateKey });
    expect(await verifierFor(async () => pair.publicKey)(token)).toMatchObject({
      principal: { subject: 'ada' },
    });
  },
);

test.each<[string, Parts]>([
  ['has expired', { claims: { exp: now - 30 } }],
  ['is not valid yet', { claims: { nbf: now + 31 } }],
  ['is for another audience', { claims: { aud: 'tocsin-engine' } }],
  ['is for another audience', { claims: { aud: undefined } }],
  ['has no usable claim exp', { claims: { exp: undefined } }],
  ['has no usable claim exp', { claims: { exp: '5' } }],
  ['has no usable claim sub', { claims: { sub: undefined } }],
  ['has no usable subject', { claims: { sub: '' } }],
  ['has no usable subject', { claims: { sub: 'a\u0000' } }],
  ['has no usable subject', { claims: { sub: 'x'.repeat(256) } }],
  ['has no usable subject', { claims: { sub: 7 } }],
  ['is from an issuer that is not trusted here', { claims: { iss: 'https://evil.example' } }],
  ['is from an issuer that is not trusted here', { claims: { iss: undefined } }],
  ['is not an access token', { header: { typ: 'id_token+jwt' } }],
  ['is not an access token', { header: { typ: '' } }],
  ['is not an access token', { header: { typ: 5 as never } }],
  ['is not an access token', { claims: { typ: 'ID' } }],
  ['is not an access token', { claims: { typ: null } }],
  ['is an ID token', { claims: { nonce: 'n' } }],
  ['is an ID token', { claims: { typ: 'Bearer', at_hash: 'h' } }],
  ['is an ID token', { header: { typ: 'at+jwt' }, claims: { c_hash: 'h' } }],
  ['is bound to a key', { claims: { cnf: { jkt: 'x' } } }],
  ['has no valid signature', { signedWith: keysOf('P-256').privateKey }],
  [
    'is signed with an algorithm that is not allowed',
    { header: { alg: 'HS256' }, signedWith: createSecretKey(Buffer.alloc(32, 1)) },
  ],
])('a token that %s is rejected', async (predicate, parts) => {
  expect(await rejection(await sign(parts))).toMatchObject({
    code: 'unauthenticated',
    detail: `The access token ${predicate}.`,
    headers: {
      'WWW-Authenticate': `Bearer error="invalid_token", error_description="The access token ${predicate}."`,
    },
  });
});

test.each<[string, Parts]>([
  ['expired less than 30 s ago', { claims: { exp: now - 29 } }],
  ['is valid in 30 s', { claims: { nbf: now + 30 } }],
  ['names several audiences', { claims: { aud: ['account', 'tocsin-api'] } }],
  ['has a subject of 255 characters', { claims: { sub: 'x'.repeat(255) } }],
  ['has the type JWT', { header: { typ: 'JWT' } }],
  ['has the type at+jwt', { header: { typ: 'AT+jwt' } }],
  ['has the type application/at+jwt', { header: { typ: 'application/at+jwt' }, claims: { nonce: 'n' } }],
  ['is a Bearer token with a nonce', { claims: { typ: 'Bearer', nonce: 'n' } }],
])('a token that %s is accepted', async (_, parts) => {
  expect((await verify(await sign(parts))).principal.issuer).toBe(own.issuer);
});

test('a token that is not a JWT is rejected with this reason', async () => {
  for (const text of ['', 'a', 'a.b.c'])
    expect((await rejection(text)).detail).toBe('The access token is not a JWT.');
});

test('verification fails as unavailable, not as unauthenticated, if the issuer has no keys', async () => {
  const unavailable = new AppError('unavailable', 'There are no keys.');
  const withoutKeys = verifierFor(() => Promise.reject(unavailable));
  await expect(sign().then(withoutKeys)).rejects.toBe(unavailable);
});

test.each([undefined, '', 'Bearer', 'Basic eDp5', 'eyJ.a.b', 'xBearer a', 'Bearer\ta'])(
  'the Authorization header %j has no bearer token, and the error asks for one',
  (authorization) => {
    expect(() => readBearerToken(authorization)).toThrow(
      expect.objectContaining({
        code: 'unauthenticated',
        detail: 'Send an access token in the header Authorization: Bearer.',
        headers: undefined,
      }),
    );
  },
);

test('a token of 24,576 characters is accepted and a longer one is rejected', () => {
  const longest = 'x'.repeat(24_576);
  expect(readBearerToken(`Bearer ${longest}`)).toBe(longest);
  expect(() => readBearerToken(`Bearer ${longest}x`)).toThrow('The access token is malformed.');
});

test('a token in a header may end with base64 padding, and spaces around it are ignored', () => {
  expect(readBearerToken('bearer  a.b-c_d~e+f/g==  ')).toBe('a.b-c_d~e+f/g==');
});

test.each(['Bearer a=b', 'Bearer a b', 'Bearer bearer a', 'Bearer a\n', 'Bearer é'])(
  'the Authorization header %j is malformed',
  (authorization) => {
    expect(() => readBearerToken(authorization)).toThrow('The access token is malformed.');
  },
);
