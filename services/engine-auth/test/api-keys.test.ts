import type { EngineAuth } from '../src/app.js';
import {
  adminKey,
  bearer,
  createKey,
  createTestDatabase,
  deactivate,
  startEngine,
  tokenOf,
  useEngine,
  verify,
} from './support/engine.js';

const service = useEngine();
let engine: EngineAuth;
beforeAll(() => {
  ({ engine } = service);
});

function manage(method: string, path: string, options: { credential?: string; body?: unknown } = {}) {
  const { credential = adminKey, body } = options;
  return fetch(engine.url + path, {
    method,
    headers: { ...bearer(credential), ...(body !== undefined && { 'Content-Type': 'application/json' }) },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

describe('creating a key', () => {
  test('a new API key is returned once, and only its bcrypt hash is stored', async () => {
    const response = await manage('POST', '/auth/api_keys/', {
      body: { description: "Robert'); DROP TABLE--" },
    });
    expect(response.status).toBe(201);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const created = (await response.json()) as Record<string, string>;
    expect(Object.keys(created)).toEqual(['id', 'key', 'description', 'is_active', 'created_at', 'message']);
    const [id, secret] = Buffer.from(created.key ?? '', 'base64')
      .toString()
      .split(':');
    expect([id, secret]).toEqual([created.id, expect.stringMatching(/^[\w-]{43}$/)]);
    const row = await service.database.knex('api_keys').where({ id }).first();
    expect(row.key_hash).toMatch(/^\$2b\$09\$/);
    expect(JSON.stringify(row)).not.toContain(secret);

    const read = await manage('GET', `/auth/api_keys/${id}`);
    const shown = await read.text();
    expect(JSON.parse(shown)).toMatchObject({ id, description: "Robert'); DROP TABLE--", is_active: true });
    expect(shown).not.toMatch(/hash|\$2b\$|"key"/);
  });

  test.each<[unknown, number]>([
    [{}, 422],
    [{ description: 7 }, 422],
    [{ description: null }, 422],
    [{ description: 'x', id: 'mine' }, 422],
    [{ description: 'a\0b' }, 422],
    [{ description: '\ud800' }, 422],
    [{ description: 'x'.repeat(1_001) }, 422],
    ['{"description":"x","__proto__":{}}', 422],
    ['{', 400],
    [`{"description":"${'x'.repeat(1_100_000)}"}`, 413],
  ])('the invalid request body of case %# is rejected and creates no key', async (body, status) => {
    const before = await service.database.knex('api_keys').count();
    const response = await manage('POST', '/auth/api_keys/', { body });
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(await service.database.knex('api_keys').count()).toEqual(before);
  });

  test('an API key can be created with and without a slash at the end of the path', async () => {
    expect((await manage('POST', '/auth/api_keys', { body: { description: '' } })).status).toBe(201);
  });
});

describe('managing keys', () => {
  test('an admin token can create a key, and the creator is recorded', async () => {
    const credential = await tokenOf('admin');
    const response = await manage('POST', '/auth/api_keys/', {
      credential,
      body: { description: 'by token' },
    });
    expect(response.status).toBe(201);
    const { id } = (await response.json()) as { id: string };
    const { knex } = service.database;
    const { created_by: creator } = await knex('api_keys').where({ id }).first();
    expect(creator.startsWith(`${process.env.TOCSIN_TEST_OIDC_ISSUER}#`)).toBe(true);
    expect(await knex('audit_events').where({ resource_id: id })).toMatchObject([{ principal: creator }]);
  });

  test('key management rejects an engine key with 403, and a token for another audience with 401', async () => {
    const { id, key } = await createKey(engine);
    for (const [credential, status] of [
      [key, 403],
      [await tokenOf('editor'), 401],
    ] as const) {
      for (const [method, path] of [
        ['POST', '/auth/api_keys/'],
        ['GET', '/auth/api_keys/'],
        ['GET', `/auth/api_keys/${id}`],
        ['DELETE', `/auth/api_keys/deactivate/${id}`],
        ['DELETE', '/auth/api_keys/deactivate/00000000-0000-4000-8000-000000000000'],
      ] as const) {
        const body = method === 'POST' ? { description: 'mine' } : undefined;
        expect((await manage(method, path, { credential, body })).status).toBe(status);
      }
    }
    expect((await verify(engine, key)).status).toBe(204);
  });

  test('key management without a valid credential gets 401 with a WWW-Authenticate header', async () => {
    const none = await fetch(`${engine.url}/auth/api_keys/`);
    expect([none.status, none.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    for (const credential of [
      adminKey.slice(1),
      `${adminKey}x`,
      adminKey.toUpperCase(),
      'null',
      'a.b.c',
      '{}',
    ]) {
      const response = await manage('GET', '/auth/api_keys/', { credential });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"');
    }
  });
});

describe('reading and deactivating keys', () => {
  test('API keys are listed newest first', async () => {
    const { id } = await createKey(engine, 'newest');
    const list = (await (await manage('GET', '/auth/api_keys/')).json()) as { id: string }[];
    expect(list[0]).toMatchObject({ id, description: 'newest' });
  });

  test('a deactivated key is rejected at once and stays in the list', async () => {
    const { id, key } = await createKey(engine);
    expect((await verify(engine, key)).status).toBe(204);
    expect((await deactivate(engine, id)).status).toBe(204);
    expect((await verify(engine, key)).status).toBe(401);
    const first = await (await manage('GET', `/auth/api_keys/${id}`)).json();
    expect((await deactivate(engine, id.toUpperCase())).status).toBe(204);
    expect(await (await manage('GET', `/auth/api_keys/${id}`)).json()).toEqual(first);
    expect(first).toMatchObject({ is_active: false, deactivated_at: expect.any(String) });
  });

  test('a key that is deactivated with its id in upper case is rejected at once', async () => {
    const { id, key } = await createKey(engine);
    expect((await verify(engine, key)).status).toBe(204);
    expect((await deactivate(engine, id.toUpperCase())).status).toBe(204);
    expect((await verify(engine, key)).status).toBe(401);
  });

  test('an unknown key id gets 404 and an invalid key id gets 422', async () => {
    const unknown = '00000000-0000-4000-8000-000000000000';
    expect((await manage('GET', `/auth/api_keys/${unknown}`)).status).toBe(404);
    expect((await deactivate(engine, unknown)).status).toBe(404);
    expect((await deactivate(engine, "1'%20or%20'1'='1")).status).toBe(422);
    expect((await manage('GET', '/auth/api_keys/%00')).status).toBe(422);
  });
});

test('creating or deactivating a key writes one audit event, and a rejected request none', async () => {
  const { knex } = service.database;
  await knex('audit_events').delete();
  const { id, key } = await createKey(engine, 'secret description');
  await Promise.all([deactivate(engine, id), deactivate(engine, id), deactivate(engine, id)]);
  await deactivate(engine, '00000000-0000-4000-8000-000000000000');
  const body = { description: 'x' };
  await manage('POST', '/auth/api_keys/', { body: { ...body, more: 1 } });
  await manage('POST', '/auth/api_keys/', { body, credential: key });
  const events = await knex('audit_events').orderBy('id');
  const fromAdmin = { principal: 'tocsin-engine#admin-key', principal_name: 'admin key' };
  const ofKey = { ...fromAdmin, workspace_id: null, resource_type: 'api_key', resource_id: id };
  expect(events).toMatchObject([
    { ...ofKey, action: 'api_key.created', request_id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    { ...ofKey, action: 'api_key.deactivated' },
  ]);
  expect(JSON.stringify(events)).not.toContain('secret');
  expect(await knex('api_keys').where({ id }).first()).toMatchObject({ created_by: fromAdmin.principal });
  const credential = await tokenOf('admin');
  await manage('POST', '/auth/api_keys/', { body, credential });
  const [latest] = await knex('audit_events').orderBy('id', 'desc');
  expect(latest.principal).toMatch(/^http.+#.+/);
});

test('a key whose audit event cannot be written is neither created nor deactivated', async () => {
  const { knex } = service.database;
  const { id, key } = await createKey(engine);
  const before = await knex('api_keys').orderBy('id');
  await knex.raw('alter table audit_events add constraint broken check (false) not valid');
  try {
    expect((await deactivate(engine, id)).status).toBe(500);
    await expect(createKey(engine)).rejects.toThrow(/^500/);
  } finally {
    await knex.raw('alter table audit_events drop constraint broken');
  }
  expect(await knex('api_keys').orderBy('id')).toEqual(before);
  expect((await verify(engine, key)).status).toBe(204);
});

test('concurrent requests cannot exceed the limit of active keys', async () => {
  const full = await createTestDatabase();
  const small = await startEngine(full, { env: { MAX_API_KEYS: '3' } });
  try {
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => createKey(small)));
    const created = results.filter((result) => result.status === 'fulfilled');
    expect(created).toHaveLength(3);
    for (const result of results) {
      if (result.status === 'rejected') expect(String(result.reason)).toContain('"code":"conflict"');
    }
    await deactivate(small, (created[0] as PromiseFulfilledResult<{ id: string }>).value.id);
    await expect(createKey(small)).resolves.toBeDefined();
  } finally {
    await small.close(5_000);
    await full.drop();
  }
});
