import { createHmac } from 'node:crypto';
import { createLogger, createMetrics } from '@tocsin/kit';
import { exportSPKI, importJWK } from 'jose';
import { createIdentity, type Identity, type TrustedIssuer } from '../src/index.js';
import { fetchSigningKeys } from '../src/key-source.js';
import {
  makeKey,
  type SigningKey,
  sign,
  startProvider,
  type TokenParts,
  useProvider,
} from './support/provider.js';

const workspace = '11111111-1111-4111-8111-111111111111';
const customerWorkspace = '22222222-2222-4222-8222-222222222222';

const provider = useProvider();
const customer = useProvider();
let key: SigningKey;
let foreignKey: SigningKey;
let identity: Identity;

beforeAll(async () => {
  key = await makeKey('first');
  foreignKey = await makeKey('first');
  provider.state.keys = [key.publicJwk];
  customer.state.keys = [foreignKey.publicJwk];
  const own: TrustedIssuer = {
    issuer: provider.issuer,
    audience: 'tocsin-api',
    groupsClaim: 'groups',
    rolesClaim: 'realm_access.roles',
    workspaces: 'all',
  };
  identity = createIdentity({
    settings: {
      issuers: [own, { ...own, issuer: customer.issuer, workspaces: new Set([customerWorkspace]) }],
    },
    logger: createLogger({ service: 'test', level: 'silent' }),
    metrics: createMetrics({ service: 'test' }),
    shutdown: { addInterval() {} },
  });
});

const make = (parts: Partial<TokenParts> = {}) => sign({ key, issuer: provider.issuer, ...parts });
const verify = (token: string) => identity.authenticate({ authorization: `Bearer ${token}` });
const now = () => Math.floor(Date.now() / 1000);

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

async function rejection(token: string): Promise<{ code: string; detail: string; headers: object }> {
  return verify(token).then(
    () => {
      throw new Error('The token was accepted.');
    },
    (error) => error,
  );
}

test('a valid token becomes a principal with its roles', async () => {
  const principal = await verify(
    await make({
      claims: {
        preferred_username: 'Ada',
        groups: [
          `/workspaces/${workspace.toUpperCase()}/editor`,
          `/workspaces/${workspace}/publisher`,
          `/workspaces/${workspace}/owner`,
          `/workspaces/${workspace}/constructor`,
          `/workspaces/not-a-uuid/admin`,
          `/other/${workspace}/admin`,
          `/teams/workspaces/${workspace}/admin`,
          `/workspaces/${workspace}/admin/workspaces/${workspace}/reader`,
          `/WORKSPACES/${workspace}/admin`,
          `/Workspaces/${workspace}/admin`,
          `/workspaces/${workspace}/ADMIN`,
          `/workspaces/${workspace}/admin/`,
          `/workspaces/${workspace}/admin\n`,
          7,
          null,
        ],
        realm_access: { roles: ['tocsin_admin', 'toString', 'offline_access'] },
      },
    }),
  );
  expect(principal).toEqual({
    issuer: provider.issuer,
    subject: 'ada',
    display: 'Ada',
    workspaceRoles: new Map([[workspace, new Set(['editor', 'publisher'])]]),
    deploymentRoles: new Set(['tocsin_admin']),
  });
});

test.each(['RS384', 'PS256', 'ES256', 'ES512'])('a token signed with %s is accepted', async (alg) => {
  const other = await makeKey(`key-${alg}`, alg);
  provider.state.keys.push(other.publicJwk);
  await expect(verify(await make({ key: other }))).resolves.toMatchObject({ subject: 'ada' });
});

test.each<[string, Partial<TokenParts>]>([
  ['the header type at+jwt', { header: { typ: 'at+jwt' }, claims: { nonce: 'n' } }],
  ['the claim typ Bearer', { header: { typ: 'JWT' }, claims: { nonce: 'n', typ: 'Bearer' } }],
])('a token with a nonce is accepted as an access token because of %s', async (_, parts) => {
  await expect(verify(await make(parts))).resolves.toMatchObject({ subject: 'ada' });
});

test.each([
  [{ preferred_username: 'Ada', name: 'Ada L.', email: 'a@x.example', client_id: 'c' }, 'Ada'],
  [{ preferred_username: 'a\nb', name: 'Ada L.', email: 'a@x.example', client_id: 'c' }, 'Ada L.'],
  [{ name: '', email: 'a@x.example', client_id: 'c' }, 'a@x.example'],
  [{ email: 7, client_id: 'c' }, 'c'],
  [{}, 'ada'],
])('the display name of the claims %j is %s', async (claims, display) => {
  await expect(verify(await make({ claims }))).resolves.toMatchObject({ display });
});

describe('the Authorization header', () => {
  test('a missing Authorization header gets the challenge `Bearer` without an error code', async () => {
    await expect(identity.authenticate({ authorization: undefined })).rejects.toMatchObject({
      code: 'unauthenticated',
      headers: undefined,
    });
  });

  test.each([
    '',
    'Bearer',
    'Bearer ',
    'Basic dXNlcjpwdw==',
    'Bearer a b',
    'Bearer a,b',
    `Bearer ${'x'.repeat(30_000)}`,
    'Bearer …',
  ])('a malformed Authorization header (case %#) gets 401', async (authorization) => {
    await expect(identity.authenticate({ authorization })).rejects.toMatchObject({ status: 401 });
  });

  test('the scheme of the Authorization header is compared without regard to case', async () => {
    await expect(identity.authenticate({ authorization: `bEARER ${await make()}` })).resolves.toBeDefined();
  });
});

describe('rejected tokens', () => {
  test('a token that expired more than 30 seconds ago is rejected', async () => {
    expect(await rejection(await make({ claims: { exp: now() - 31 } }))).toMatchObject({
      detail: 'The access token has expired.',
      headers: {
        'WWW-Authenticate': 'Bearer error="invalid_token", error_description="The access token has expired."',
      },
    });
    await expect(verify(await make({ claims: { exp: now() - 25 } }))).resolves.toBeDefined();
  });

  test.each<[string, Partial<TokenParts>]>([
    ['is not valid yet', { claims: { nbf: Math.floor(Date.now() / 1000) + 300 } }],
    ['is for another audience', { claims: { aud: 'tocsin-engine' } }],
    ['is for another audience', { claims: { aud: ['account', 'tocsin-api-2'] } }],
    ['is for another audience', { without: ['aud'] }],
    ['has no usable claim exp', { without: ['exp'] }],
    ['has no usable claim sub', { without: ['sub'] }],
    ['has no usable subject', { claims: { sub: '' } }],
    ['has no usable subject', { claims: { sub: 'a\u0000b' } }],
    ['has no usable subject', { claims: { sub: 'x'.repeat(256) } }],
    ['is from an issuer that is not trusted here', { claims: { iss: 'https://evil.example' } }],
    ['is from an issuer that is not trusted here', { without: ['iss'] }],
    ['is not an access token', { header: { typ: 'id_token+jwt' } }],
    ['is not an access token', { header: { typ: 'logout+jwt' } }],
    ['is not an access token', { header: { typ: 5 as never } }],
    ['is not an access token', { header: { typ: null as never } }],
    ['is not an access token', { header: { typ: ['JWT'] as never } }],
    ['is not an access token', { claims: { typ: 5 } }],
    ['is not an access token', { claims: { typ: 'ID' } }],
    ['is not an access token', { claims: { typ: 'Refresh' } }],
    ['is an ID token', { claims: { nonce: 'n' } }],
    ['is an ID token', { claims: { typ: 'Bearer', at_hash: 'h' } }],
    ['is bound to a key', { claims: { cnf: { jkt: 'x' } } }],
  ])('a token that %s is rejected', async (predicate, parts) => {
    expect(await rejection(await make(parts))).toMatchObject({
      code: 'unauthenticated',
      detail: `The access token ${predicate}.`,
    });
  });

  test('a token is rejected if its key id is known but another key has signed the token', async () => {
    expect(await rejection(await make({ key: foreignKey }))).toMatchObject({ code: 'unauthenticated' });
    const embedded = { jwk: foreignKey.publicJwk, jku: `${customer.issuer}/jwks`, x5u: customer.issuer };
    const fetchesBefore = customer.state.fetches;
    expect(await rejection(await make({ key: foreignKey, header: embedded }))).toMatchObject({ status: 401 });
    expect(customer.state.fetches).toBe(fetchesBefore);
  });

  test('a token without a signature is rejected', async () => {
    const claims = { iss: provider.issuer, aud: 'tocsin-api', sub: 'ada', exp: now() + 300 };
    for (const alg of ['none', 'None', 'nOnE', '']) {
      const token = `${encode({ alg, kid: 'first' })}.${encode(claims)}.`;
      expect(await rejection(token)).toMatchObject({ code: 'unauthenticated' });
    }
  });

  test('a token signed with HS256 and the public key as the secret is rejected', async () => {
    const claims = { iss: provider.issuer, aud: 'tocsin-api', sub: 'ada', exp: now() + 300 };
    const publicKey = await importJWK(key.publicJwk, 'RS256', { extractable: true });
    for (const secret of [await exportSPKI(publicKey as never), JSON.stringify(key.publicJwk)]) {
      const content = `${encode({ alg: 'HS256', kid: 'first' })}.${encode(claims)}`;
      const signature = createHmac('sha256', secret).update(content).digest('base64url');
      expect(await rejection(`${content}.${signature}`)).toMatchObject({
        detail: 'The access token is signed with an algorithm that is not allowed.',
      });
    }
  });

  test('a token whose `crit` header requires an unknown extension is rejected', async () => {
    const good = (await make()).split('.');
    const header = encode({ alg: 'RS256', kid: 'first', crit: ['exp'], exp: 1 });
    expect(await rejection([header, good[1], good[2]].join('.'))).toMatchObject({ code: 'unauthenticated' });
  });

  test('a token with a changed payload or signature is rejected', async () => {
    const [header = '', payload = '', signature = ''] = (await make()).split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const raised = encode({ ...claims, realm_access: { roles: ['tocsin_admin'] } });
    for (const token of [
      `${header}.${raised}.${signature}`,
      `${header}.${payload}.${signature.slice(0, -4)}AAAA`,
      `${header}.${payload}`,
      `${header}.${payload}.${signature}.${signature}`,
      `.${payload}.${signature}`,
      'a.b.c',
      '..',
    ]) {
      expect(await rejection(token)).toMatchObject({ code: 'unauthenticated' });
    }
  });
});

describe('a customer’s own provider', () => {
  const ofCustomer = (claims: Record<string, unknown>) =>
    sign({ key: foreignKey, issuer: customer.issuer, claims });

  test('a customer’s provider grants roles only in the workspaces of that customer', async () => {
    const groups = [`/workspaces/${workspace}/admin`, `/workspaces/${customerWorkspace}/reader`];
    const token = await ofCustomer({
      groups,
      realm_access: { roles: ['tocsin_admin', 'tocsin_engine_admin'] },
    });
    expect(await verify(token)).toMatchObject({
      issuer: customer.issuer,
      workspaceRoles: new Map([[customerWorkspace, new Set(['reader'])]]),
      deploymentRoles: new Set(),
    });
  });

  test("keys of a customer's issuer are fetched only from its origin or a configured address", async () => {
    const elsewhere = await startProvider();
    elsewhere.state.keys = [foreignKey.publicJwk];
    const jwksUri = `${elsewhere.issuer}/jwks`;
    const trusted = { issuer: customer.issuer, workspaces: new Set([customerWorkspace]) };
    customer.state.metadata = { jwks_uri: jwksUri };
    await expect(fetchSigningKeys(trusted)).rejects.toThrow('names keys of another origin');
    expect(elsewhere.state.fetches).toBe(0);
    await expect(fetchSigningKeys({ ...trusted, jwksUri })).resolves.toBeDefined();
    expect(elsewhere.state.fetches).toBe(1);
    customer.state.metadata = {};
    await elsewhere.stop();
  });

  test('a customer’s provider cannot sign tokens for the issuer of the deployment', async () => {
    expect(await rejection(await ofCustomer({ iss: provider.issuer }))).toMatchObject({ status: 401 });
  });
});
