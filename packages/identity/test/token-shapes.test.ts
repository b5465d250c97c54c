import type { Identity } from '../src/index.js';
import {
  createTestIdentity,
  makeKey,
  type SigningKey,
  sign,
  type TokenParts,
  useProvider,
} from './support/provider.js';

// Tests of tokens that have a valid signature and claims of unexpected types, and of texts that are not tokens.

const workspace = '11111111-1111-4111-8111-111111111111';
const provider = useProvider();
let key: SigningKey;
let identity: Identity;

beforeAll(async () => {
  key = await makeKey('first');
  provider.state.keys = [key.publicJwk, (await makeKey('second')).publicJwk];
  identity = createTestIdentity({ issuer: provider.issuer });
});

const make = (parts: Partial<TokenParts>) => sign({ key, issuer: provider.issuer, ...parts });
const authenticate = (authorization: string) => identity.authenticate({ authorization });
const nowSeconds = Math.floor(Date.now() / 1_000);

const wrongClaims: Record<string, unknown[]> = {
  exp: [null, '9999999999', true, [nowSeconds + 300], {}, 0, -1, nowSeconds - 60, nowSeconds - 60.5],
  nbf: ['0', null, {}, [], nowSeconds + 3_600],
  iat: ['0', {}, [0]],
  aud: [
    '',
    'TOCSIN-API',
    'tocsin-api ',
    'tocsin-api,other',
    'tocsin',
    {},
    5,
    null,
    [],
    [['tocsin-api']],
    [null],
  ],
  iss: ['', 'null', null, 5, {}, []],
  sub: ['', 5, 0, true, null, {}, [], ['ada'], 'a\nb', 'a\u0000b', 'a\ud800', 'x'.repeat(256)],
  typ: ['ID', 'Refresh', 'Offline', 'Logout', 5, {}, []],
  cnf: [{ jkt: 'x' }, { 'x5t#S256': 'x' }, {}, null],
};
const rejectedClaims = Object.entries(wrongClaims).flatMap(([name, values]) =>
  values.map((value) => ({ name, value })),
);

test.each(rejectedClaims)(
  'a token whose claim $name has the value $value is rejected',
  async ({ name, value }) => {
    const token = await make({ claims: { [name]: value } });
    await expect(authenticate(`Bearer ${token}`)).rejects.toMatchObject({
      code: 'unauthenticated',
      status: 401,
    });
  },
);

test('an issuer that differs in one character is not trusted', async () => {
  for (const iss of [
    `${provider.issuer}/`,
    `${provider.issuer} `,
    provider.issuer.toUpperCase(),
    `${provider.issuer}?`,
    provider.issuer.replace('http', 'https'),
    [provider.issuer],
  ])
    await expect(
      authenticate(`Bearer ${await make({ claims: { iss: iss as string } })}`),
    ).rejects.toMatchObject({
      detail: 'The access token is from an issuer that is not trusted here.',
    });
});

const strangeKeyIds = [
  '',
  '../first',
  "first' or '1'='1",
  'first\u0000',
  'FIRST',
  'second',
  5,
  null,
  ['first'],
  {},
];

test.each(strangeKeyIds)('a token with the key id %j is rejected', async (kid) => {
  const token = await make({ header: { kid: kid as string } });
  await expect(authenticate(`Bearer ${token}`)).rejects.toMatchObject({ status: 401 });
});

test('an Authorization header with text before or after a valid token is rejected', async () => {
  const token = await make({});
  const [header = '', payload = '', signature = ''] = token.split('.');
  for (const text of [
    `Bearer ${token} ${token}`,
    `Bearer Bearer ${token}`,
    `Bearer "${token}"`,
    `Bearer ${token}.`,
    `Bearer .${token}`,
    `Bearer ${token}.${signature}.${signature}`,
    `Bearer ${header}. ${payload}.${signature}`,
    `Bearer ${header}.${payload}.${signature}\n`,
    `Bearer\t${token}`,
    `Token ${token}`,
    `Basic ${token}`,
    `bearer:${token}`,
    token,
  ])
    await expect(authenticate(text)).rejects.toMatchObject({ status: 401 });
  await expect(authenticate(`Bearer ${token}`)).resolves.toMatchObject({ subject: 'ada' });
});

const path = `/workspaces/${workspace}/admin`;
const strangeRoles: Record<string, unknown>[] = [
  { groups: path },
  { groups: { 0: path, length: 1 } },
  { groups: [[path]] },
  { groups: [{ toString: path }] },
  { groups: [`${path} `, ` ${path}`, `${path}\u0000`, `${path}/x`, path.slice(1), `/${path}`, `${path}s`] },
  {
    groups: [
      path.replace('workspaces', 'Workspaces'),
      path.replace('admin', 'Admin'),
      path.replace('/a', '//a'),
    ],
  },
  {
    groups: [path.replace(workspace, '*'), path.replace(workspace, `${workspace}\n`), '/workspaces/../admin'],
  },
  { groups: [path.replace('admin', '__proto__'), path.replace('admin', 'hasOwnProperty')] },
  { realm_access: 'tocsin_admin' },
  { realm_access: ['tocsin_admin'] },
  { realm_access: { roles: 'tocsin_admin' } },
  { realm_access: { roles: { tocsin_admin: true } } },
  {
    realm_access: {
      roles: [['tocsin_admin'], 'TOCSIN_ADMIN', ' tocsin_admin', 'tocsin_admin\n', '__proto__'],
    },
  },
  { 'realm_access.roles': 'tocsin_admin' },
  {
    resource_access: { 'tocsin-api': { roles: ['tocsin_admin'] } },
    roles: ['tocsin_admin'],
    scope: 'tocsin_admin',
  },
];

test.each(strangeRoles)('the token claims %j grant no role', async (claims) => {
  const principal = await authenticate(`Bearer ${await make({ claims })}`);
  expect([...principal.workspaceRoles, ...principal.deploymentRoles]).toEqual([]);
});
