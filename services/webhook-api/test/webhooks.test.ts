import { randomUUID } from 'node:crypto';
import type { Webhook } from '@tocsin/contracts';
import { otherWorkspaceId, type Problem, useApi, workspaceId } from './support/api.js';
import { foreignBox } from './support/history.js';
import { createWebhook, type SavedWebhook, webhookFields, webhooksPath } from './support/webhook.js';

const otherCollection = `/api/v1/workspaces/${otherWorkspaceId}/webhooks`;

const api = useApi();

const create = (changes?: object) => createWebhook(api, changes);
const read = (id: string) => api.call<Webhook>('GET', `/api/v1/webhooks/${id}`);

describe('reading webhooks', () => {
  test('an unknown webhook gets 404, a malformed id 422, and a request without a token 401', async () => {
    expect((await read(randomUUID())).status).toBe(404);
    expect((await read('not-a-uuid')).status).toBe(422);
    expect((await fetch(`${api.url}/api/v1/webhooks/${randomUUID()}`)).status).toBe(401);
  });

  test('readers and responders see no secret value, and neither does an editor with secrets=false', async () => {
    const { id } = await create();
    const single = await api.call<Webhook>('GET', `/api/v1/webhooks/${id}`, { as: 'reader' });
    const list = await api.call<Webhook[]>('GET', webhooksPath, { as: 'reader' });
    const plain = await api.call<Webhook[]>('GET', `${webhooksPath}?secrets=false`, { as: 'editor' });
    const responder = await api.call<Webhook>('GET', `/api/v1/webhooks/${id}`, { as: 'responder' });
    expect(responder.body).toEqual(single.body);
    expect((await api.call('GET', webhooksPath, { as: 'responder' })).body).toEqual(list.body);
    const listed = [list, plain].map(({ body }) => body.find((webhook) => webhook.id === id));
    expect(plain.body).toEqual(list.body);
    for (const seen of [single.body, ...listed]) {
      expect(seen).toMatchObject({
        name: webhookFields.name,
        url: 'http://127.0.0.1:9',
        headers: { Authorization: ['[hidden]'], 'X-Many': ['[hidden]'] },
        body: '[hidden]',
      });
    }
    expect(JSON.stringify([single.body, list.body, plain.body])).not.toMatch(
      /s3cret|t0ken|dXNl|metric_value/,
    );
  });

  test('URL, headers and body of a webhook are encrypted in the database', async () => {
    const { id } = await create();
    const [row] = await api.database.knex('webhooks').where({ id });
    const stored = Object.values(row).map((value) =>
      Buffer.isBuffer(value) ? value.toString('latin1') : value,
    );
    expect(JSON.stringify(stored)).not.toMatch(/s3cret|t0ken|dXNlcjpwYXNz|metric_value/);
  });
});

describe('changing a webhook', () => {
  test('a change of a webhook keeps the fields that are not in the request', async () => {
    const before = await create();
    const url = 'http://127.0.0.1:9/other';
    const { status, body } = await api.call<SavedWebhook>('PATCH', `/api/v1/webhooks/${before.id}`, {
      as: 'admin',
      body: { url, enabled: false },
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      ...before,
      url,
      enabled: false,
      health: { ...before.health, state: 'disabled', since: body.updated_at },
      updated_at: body.updated_at,
      last_updated_by: body.last_updated_by,
    });
    expect(body.last_updated_by).not.toBe(before.last_updated_by);
    const { warnings: _, ...after } = body;
    expect((await read(before.id)).body).toEqual(after);
  });

  test('a change of headers replaces all headers of the webhook', async () => {
    const { id } = await create();
    const { body } = await api.call<SavedWebhook>('PATCH', `/api/v1/webhooks/${id}`, {
      body: { headers: { New: ['1'] } },
    });
    expect(body.headers).toEqual({ New: ['1'] });
  });

  test('each change increases the version of a webhook by one; a request without fields keeps it', async () => {
    const { id } = await create();
    const version = async () => (await api.database.knex('webhooks').where({ id }).first('version')).version;
    await api.call('PATCH', `/api/v1/webhooks/${id}`, { body: { name: 'a' } });
    expect(await version()).toBe(2);
    const { status, body } = await api.call<SavedWebhook>('PATCH', `/api/v1/webhooks/${id}`, { body: {} });
    expect([status, body.name, await version()]).toEqual([200, 'a', 2]);
  });

  test('concurrent changes of different webhook fields are all kept', async () => {
    const { id } = await create();
    const changes = [
      { name: 'together' },
      { url: 'http://127.0.0.1:9/together' },
      { headers: { Together: ['1'] } },
      { body: '"together"' },
      { enabled: false },
      { retry_on_timeout: false },
    ];
    const responses = await Promise.all(
      changes.map((body) => api.call('PATCH', `/api/v1/webhooks/${id}`, { body })),
    );
    expect(responses.map(({ status }) => status)).toEqual(changes.map(() => 200));
    expect((await read(id)).body).toMatchObject(Object.assign({}, ...changes));
    const { version } = await api.database.knex('webhooks').where({ id }).first('version');
    expect(version).toBe(1 + changes.length);
  });

  test.each([
    ['an unknown field', { colour: 'red' }, '/colour'],
    ['a read-only field', { created_at: '2020-01-01T00:00:00Z' }, '/created_at'],
    ['a blocked address', { url: 'http://127.0.0.1.nip.io/', headers: { TE: ['x'] } }, '/headers/TE'],
    ['an array as body', [], ''],
    ['null', null, ''],
  ])('a change of a webhook with %s is rejected', async (_, body, path) => {
    const before = await create();
    const response = await api.call('PATCH', `/api/v1/webhooks/${before.id}`, { body });
    expect([response.status, response.body.errors?.map((error) => error.path)]).toEqual([
      422,
      expect.arrayContaining([path]),
    ]);
    const { warnings: _warnings, ...unchanged } = before;
    expect((await read(before.id)).body).toEqual(unchanged);
  });
});

describe('permissions', () => {
  const cases = [
    ['POST', webhooksPath, { reader: 403, publisher: 403, outsider: 403, admin: 422 }],
    ['GET', webhooksPath, { reader: 200, publisher: 403, outsider: 403, admin: 200 }],
    ['POST', otherCollection, { editor: 403, reader: 403, outsider: 422, admin: 422 }],
    ['GET', otherCollection, { editor: 403, reader: 403, outsider: 200, admin: 200 }],
  ] as const;
  test.each(cases)(
    'callers without the permission for %s %s get 403, even if the body is invalid',
    async (method, path, expected) => {
      for (const [as, status] of Object.entries(expected)) {
        const body = method === 'POST' ? { body: { bad: true } } : {};
        const response = await api.call(method, path, { as: as as 'reader', ...body });
        expect([as, response.status]).toEqual([as, status]);
      }
    },
  );

  test('a webhook of another workspace gets 403', async () => {
    const { id } = await create();
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const response = await api.call(method, `/api/v1/webhooks/${id}`, { as: 'outsider' });
      expect([method, response.status, response.body.code]).toEqual([method, 403, 'forbidden']);
    }
    expect((await api.call('PATCH', `/api/v1/webhooks/${id}`, { as: 'reader', body: {} })).status).toBe(403);
    expect((await api.call('DELETE', `/api/v1/webhooks/${id}`, { as: 'reader' })).status).toBe(403);
    expect((await read(id)).status).toBe(200);
  });
});

describe('a webhook that cannot be decrypted', () => {
  async function createUndecryptable() {
    const { id } = await create();
    const location = { workspaceId, table: 'webhooks', id, column: 'body' };
    const body_encrypted = foreignBox.encrypt('{}', location);
    await api.database.knex('webhooks').where({ id }).update({ body_encrypted });
    return { id, path: `/api/v1/webhooks/${id}` };
  }
  const rejection = { status: 409, body: { code: 'undecryptable', key_id: 'k9' } };

  test('GET, test and partial PATCH of an undecryptable webhook get 409 with the key id', async () => {
    const { path } = await createUndecryptable();
    expect(await api.call('GET', path)).toMatchObject(rejection);
    expect(await api.call('GET', path, { as: 'reader' })).toMatchObject(rejection);
    expect(await api.call('POST', `${path}/test`, { body: {} })).toMatchObject(rejection);
    const { url, headers, body } = webhookFields;
    for (const partial of [{}, { enabled: false }, { url, headers }, { url, body }, { headers, body }])
      expect(await api.call('PATCH', path, { body: partial })).toMatchObject(rejection);
  });

  test('a list marks an undecryptable webhook and shows the others', async () => {
    const { id: sound } = await create();
    const { id } = await createUndecryptable();
    for (const as of ['editor', 'reader'] as const) {
      const { body } = await api.call<Webhook[]>('GET', webhooksPath, { as });
      const [entry, other] = [id, sound].map((wanted) => body.find((webhook) => webhook.id === wanted));
      expect(entry).toMatchObject({ name: webhookFields.name, url: 'http://127.0.0.1:9', body: '' });
      expect(entry?.undecryptable).toBe(true);
      expect(JSON.stringify(entry)).not.toContain('[hidden]');
      expect(other).not.toHaveProperty('undecryptable');
    }
  });

  test('a list with secrets=false marks a webhook whose encryption key is missing', async () => {
    const { id: sound } = await create();
    const { id } = await createUndecryptable();
    const { body } = await api.call<Webhook[]>('GET', `${webhooksPath}?secrets=false`);
    const [entry, other] = [id, sound].map((wanted) => body.find((webhook) => webhook.id === wanted));
    expect(entry).toMatchObject({ url: 'http://127.0.0.1:9', body: '', undecryptable: true });
    expect(other).not.toHaveProperty('undecryptable');
  });

  test('an undecryptable webhook can be saved again with new URL, headers and body', async () => {
    const { path } = await createUndecryptable();
    const { url, headers, body } = webhookFields;
    const patched = await api.call('PATCH', path, { body: { url, headers, body } });
    expect(patched).toMatchObject({ status: 200, body: { url, headers, body } });
    expect(await api.call('GET', path)).toMatchObject({ status: 200, body: { url, headers, body } });
  });

  test('an undecryptable webhook can be deleted', async () => {
    const { path } = await createUndecryptable();
    expect(await api.call('DELETE', path)).toMatchObject({ status: 204 });
  });

  test('a webhook row that is moved to another workspace is not decrypted there', async () => {
    const { id } = await create();
    await api.database.knex('webhooks').where({ id }).update({ workspace_id: otherWorkspaceId });
    const response = await api.call('GET', `/api/v1/webhooks/${id}`, { as: 'outsider' });
    expect(response).toMatchObject({ status: 409, body: { code: 'undecryptable', key_id: 'k1' } });
  });
});

describe('deleting a webhook', () => {
  test('a webhook that no rule uses can be deleted', async () => {
    const { id } = await create();
    const { status, body } = await api.call('DELETE', `/api/v1/webhooks/${id}`);
    expect([status, body]).toEqual([204, undefined]);
    expect((await read(id)).status).toBe(404);
    expect((await api.call('DELETE', `/api/v1/webhooks/${id}`)).status).toBe(404);
  });

  test('only one of several concurrent deletions of a webhook succeeds', async () => {
    const { id } = await create();
    const responses = await Promise.all([1, 2, 3, 4].map(() => api.call('DELETE', `/api/v1/webhooks/${id}`)));
    expect(responses.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404]);
  });

  test('the parameter force of a deletion must be true or false', async () => {
    const { id } = await create();
    expect((await api.call<Problem>('DELETE', `/api/v1/webhooks/${id}?force=maybe`)).status).toBe(422);
    expect((await read(id)).status).toBe(200);
  });
});
