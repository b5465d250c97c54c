import { randomUUID } from 'node:crypto';
import { createEmptyTestDatabase, expectReadyAfterMigration } from '@tocsin/testing/database';
import { formatRawKey } from '../src/api-keys/raw-key.js';
import type { EngineAuth } from '../src/app.js';
import {
  adminKey,
  bearer,
  createKey,
  deactivate,
  startEngine,
  startTokenIssuer,
  type TokenIssuer,
  tokenOf,
  useEnginePair,
  verify,
} from './support/engine.js';

const pair = useEnginePair();
let engine: EngineAuth;
let other: EngineAuth;
beforeAll(() => {
  ({ engine, other } = pair);
});

const identityOf = ({ status, headers }: Response) => [
  status,
  headers.get('x-auth-kind'),
  headers.get('x-auth-issuer'),
  headers.get('x-auth-subject'),
  headers.get('x-auth-roles'),
];

test('/auth/verify accepts the admin key, a user key and a token with any HTTP method', async () => {
  const { id, key } = await createKey(engine);
  const token = await tokenOf('admin');
  for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    expect(identityOf(await verify(engine, adminKey, method))).toEqual([
      204,
      'admin_key',
      'tocsin-engine',
      'admin-key',
      'tocsin_engine_admin',
    ]);
    expect(identityOf(await verify(engine, key, method))).toEqual([204, 'user_key', 'tocsin-engine', id, '']);
    expect((await verify(engine, token, method)).headers.get('x-auth-kind')).toBe('jwt');
  }
  expect((await verify(engine, token)).headers.get('x-auth-roles')?.split(',')).toContain(
    'tocsin_engine_admin',
  );
});

describe('verifying tokens', () => {
  let platform: TokenIssuer;
  let customer: TokenIssuer;
  let enterprise: EngineAuth;

  beforeAll(async () => {
    [platform, customer] = await Promise.all([startTokenIssuer(), startTokenIssuer()]);
    const issuers = [{ issuer: customer.issuer, workspaces: [randomUUID()] }];
    enterprise = await startEngine(pair.database, {
      env: {
        OIDC_ISSUER: platform.issuer,
        DEPLOYMENT: 'enterprise',
        OIDC_ENTERPRISE_ISSUERS: JSON.stringify(issuers),
      },
    });
  });
  afterAll(async () => {
    await enterprise.close(5_000);
    await Promise.all([platform.close(), customer.close()]);
  });

  test("a token with the engine's audience is valid even if its role is only reader", async () => {
    expect((await verify(enterprise, await platform.tokenOf('reader'))).status).toBe(204);
  });

  test("tokens without the engine's audience (publisher, editor, reader) get 401", async () => {
    for (const role of ['publisher', 'editor', 'reader'])
      expect((await verify(engine, await tokenOf(role))).status).toBe(401);
  });

  test('X-Auth-Issuer distinguishes tokens of two issuers that have the same subject', async () => {
    const seen = [];
    for (const { tokenOf: tokenBy } of [platform, customer]) {
      const { headers } = await verify(enterprise, await tokenBy('admin'));
      seen.push(['issuer', 'subject', 'roles'].map((name) => headers.get(`x-auth-${name}`)));
    }
    expect(seen).toEqual([
      [platform.issuer, 'tocsin-admin', 'tocsin_admin,tocsin_engine_admin'],
      [customer.issuer, 'tocsin-admin', ''],
    ]);
  });

  test("tokens without the admin role, and tokens of a customer's issuer, cannot manage keys", async () => {
    const list = async (token: string) =>
      (await fetch(`${enterprise.url}/auth/api_keys/`, { headers: bearer(token) })).status;
    expect(await list(await platform.tokenOf('admin'))).toBe(200);
    expect(await list(await platform.tokenOf('reader'))).toBe(403);
    expect(await list(await customer.tokenOf('admin'))).toBe(403);
  });
});

test('a user key that is changed, unknown or incomplete gets 401', async () => {
  const { id, key } = await createKey(engine);
  const secret = Buffer.from(key, 'base64').toString().split(':')[1] ?? '';
  const changed = `${secret.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}`;
  for (const credential of [
    formatRawKey({ id, secret: changed }),
    formatRawKey({ id: randomUUID(), secret }),
    key.slice(0, 60),
    secret,
    id,
    Buffer.from(`${id}:`).toString('base64'),
    `${key}.${key}.${key}`,
  ]) {
    expect((await verify(engine, credential)).status).toBe(401);
  }
  expect((await verify(engine, key)).status).toBe(204);
});

test('after a broadcast, another instance rejects a deactivated key before its cache expires', async () => {
  await Promise.all([engine.brokerReady(), other.brokerReady()]);
  const { id, key } = await createKey(engine);
  expect((await verify(other, key)).status).toBe(204);
  const startedAt = performance.now();
  await deactivate(engine, id);
  while ((await verify(other, key)).status !== 401) {
    if (performance.now() - startedAt > 8_000) throw new Error('The other instance still takes the key.');
  }
});

test('without a broadcast, another instance accepts a deactivated key for up to 10 s', async () => {
  const { id, key } = await createKey(engine);
  expect((await verify(other, key)).status).toBe(204);
  await pair.database.database.knex('api_keys').where({ id }).update({ is_active: false });
  pair.clock.aheadMs += 9_000;
  expect((await verify(other, key)).status).toBe(204);
  pair.clock.aheadMs += 1_001;
  expect((await verify(other, key)).status).toBe(401);
});

test('without the database, a user key gets 503, and the admin key and tokens are accepted', async () => {
  const { key } = await createKey(engine);
  const cut = await startEngine(pair.database, {
    env: { DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' },
  });
  try {
    const response = await verify(cut, key);
    expect([response.status, response.headers.has('retry-after')]).toEqual([503, true]);
    expect((await verify(cut, adminKey)).status).toBe(204);
    expect((await verify(cut, await tokenOf('admin'))).status).toBe(204);
    const readiness = await fetch(`${cut.url}/readyz`);
    expect([readiness.status, await readiness.json()]).toEqual([
      200,
      { status: 'ok', dependencies: { database: 'failing' } },
    ]);
    expect((await fetch(`${cut.url}/livez`)).status).toBe(200);
  } finally {
    await cut.close(5_000);
  }
});

test('without database migrations, the service is not ready and asks to run the migrations', async () => {
  const empty = await createEmptyTestDatabase();
  const started = await startEngine(empty);
  try {
    await expectReadyAfterMigration(started.url, empty);
  } finally {
    await started.close(5_000);
    await empty.drop();
  }
});

test('API keys are created, verified and deactivated while the broker is unavailable', async () => {
  const alone = await startEngine(pair.database, { env: { AMQP_URL: 'amqp://nobody@127.0.0.1:9' } });
  try {
    expect((await fetch(`${alone.url}/readyz`)).status).toBe(200);
    const { id, key } = await createKey(alone);
    expect((await verify(alone, key)).status).toBe(204);
    expect((await deactivate(alone, id)).status).toBe(204);
    expect((await verify(alone, key)).status).toBe(401);
  } finally {
    await alone.close(5_000);
  }
});

test('no credential is accepted as the admin key if no admin key is set', async () => {
  const open = await startEngine(pair.database, { env: { GENAI_ENGINE_ADMIN_KEY: '' } });
  try {
    for (const credential of ['', ' ', 'undefined', adminKey]) {
      expect((await verify(open, credential)).status).toBe(401);
    }
  } finally {
    await open.close(5_000);
  }
});

test('the OpenAPI document lists every path', async () => {
  const document = (await (await fetch(`${engine.url}/openapi.json`)).json()) as {
    openapi: string;
    paths: object;
  };
  expect(document.openapi).toMatch(/^3\.1/);
  expect(Object.keys(document.paths)).toEqual([
    '/livez',
    '/readyz',
    '/auth/verify',
    '/auth/api_keys/',
    '/auth/api_keys/{id}',
    '/auth/api_keys/deactivate/{id}',
  ]);
});

test('the OpenAPI document says that a credential is a key or a token', async () => {
  const document = (await (await fetch(`${engine.url}/openapi.json`)).json()) as {
    components: { securitySchemes: { bearer: object } };
  };
  const description = expect.stringMatching(/^The admin key, a user key, or an access token/);
  expect(document.components.securitySchemes.bearer).toEqual({ type: 'http', scheme: 'bearer', description });
});

test('the OpenAPI example of the request for a new key is accepted', async () => {
  const document = (await (await fetch(`${engine.url}/openapi.json`)).json()) as {
    paths: Record<string, { post: { requestBody: { content: Record<string, { example: object }> } } }>;
  };
  const { content } = document.paths['/auth/api_keys/']!.post.requestBody;
  const response = await fetch(`${engine.url}/auth/api_keys/`, {
    method: 'POST',
    headers: { ...bearer(adminKey), 'Content-Type': 'application/json' },
    body: JSON.stringify(content['application/json']?.example),
  });
  expect(response.status).toBe(201);
});

test('metrics are served on a separate port only', async () => {
  expect(await (await fetch(`${engine.metricsUrl}/metrics`)).text()).toContain(
    'http_request_duration_seconds',
  );
  expect((await fetch(`${engine.url}/metrics`)).status).toBe(401);
});

test('only the bcrypt hash of an API key is stored', async () => {
  const { id } = await createKey(engine);
  const row = await pair.database.database.knex('api_keys').where({ id }).first();
  expect(Object.keys(row).sort()).toEqual([
    'created_at',
    'created_by',
    'deactivated_at',
    'description',
    'id',
    'is_active',
    'key_hash',
  ]);
  expect(row.key_hash).toMatch(/^\$2b\$09\$.{53}$/);
});
