import { randomUUID } from 'node:crypto';
import type { Delivery, DeliveryWithAttempts } from '@tocsin/contracts';
import { type DeliveryFixture, insertAttempt, insertWorker } from '@tocsin/testing/database';
import { useApi, workspaceId } from './support/api.js';
import { foreignBox, seedDelivery } from './support/history.js';
import { readAll } from './support/paging.js';

const deliveries = `/api/v1/workspaces/${workspaceId}/deliveries`;
const single = (id: string) => `/api/v1/deliveries/${id}`;
const api = useApi();
const seed = (options: DeliveryFixture = {}) => seedDelivery(api.database, options);
const list = (query: string) => api.call<Delivery[]>('GET', `${deliveries}?${query}`, { as: 'reader' });
const idsOf = async (query: string) => (await list(query)).body.map(({ id }) => id);
const inMs = (ms: number) => new Date(Date.now() + ms);

describe('a delivery', () => {
  test('a delivery is shown without the bodies that cannot be decrypted', async () => {
    const id = await seed({ response: 'ok', requestBody: '1' });
    await insertAttempt(api.database, {
      workspaceId,
      id,
      number: 2,
      statusCode: 200,
      response: 'ok',
      requestBody: '2',
      secretBox: foreignBox,
    });
    const { status, body } = await api.call<DeliveryWithAttempts>('GET', single(id));
    expect([status, body.attempts.map((attempt) => attempt.request_body)]).toEqual([200, ['1', null]]);
    const withoutBody = { response: '', truncated: true };
    expect([body.attempts[0]?.response?.response, body.attempts[1]?.response, body.response]).toMatchObject([
      'ok',
      withoutBody,
      withoutBody,
    ]);
  });

  test('a delivery shows whether any of its attempts were removed, also in a list', async () => {
    const id = await seed({ response: 'no', claims: 2 });
    const read = async () => {
      const { body } = await api.call<DeliveryWithAttempts>('GET', single(id));
      const { body: page } = await list('limit=100');
      return [body.attempts_expired, page.find((delivery) => delivery.id === id)?.attempts_expired];
    };
    expect(await read()).toEqual([false, false]);
    const attempts = api.database.knex('attempts').where({ delivery_id: id });
    await attempts.clone().delete();
    expect(await read()).toEqual([true, true]);
    await insertAttempt(api.database, { workspaceId, id, number: 2, response: 'late', statusCode: 500 });
    expect(await read()).toEqual([true, true]);
  });

  test('a delivery is shown with its attempts and its last response', async () => {
    const id = await seed({ response: 'no such project', statusCode: 404, requestBody: '{"secret":1}' });
    const { status, body } = await api.call<DeliveryWithAttempts>('GET', single(id));
    expect(status).toBe(200);
    const response = {
      status_code: 404,
      response: 'no such project',
      truncated: false,
      location: null,
      retry_after: null,
    };
    const likely_cause = 'Wrong URL, or the destination URL has been revoked.';
    expect(body).toMatchObject({
      id,
      workspace_id: workspaceId,
      status: 'failed',
      attempts_made: 1,
      next_attempt_at: null,
      first_succeeded_at: null,
      attempts_expired: false,
      response,
      error_code: 'http_status',
      likely_cause,
      rendered: null,
      attempts: [
        {
          number: 1,
          trigger: 'scheduled',
          duration_ms: 12,
          destination: 'https://example.test',
          request_body: '{"secret":1}',
          response,
          likely_cause,
        },
      ],
    });
    expect(Date.parse(body.created_at)).toBeLessThan(Date.now());
  });

  test('a response that was truncated when it was recorded is shown as truncated', async () => {
    const webhookId = randomUUID();
    const id = await seed({ webhookId, response: 'beginning' });
    await api.database.knex('attempts').where({ delivery_id: id }).update({ response_truncated: true });
    const { body } = await api.call<DeliveryWithAttempts>('GET', single(id));
    const [listed] = (await list(`webhook_id=${webhookId}`)).body;
    const response = { response: 'beginning', truncated: true };
    expect([body.response, body.attempts[0]?.response, listed?.response]).toMatchObject(
      Array(3).fill(response),
    );
  });

  test('each attempt shows its destination, Location, Retry-After and likely cause', async () => {
    const id = await seed({ response: 'busy', statusCode: 429, claims: 2, destination: 'https://b.test' });
    const responseHeaders = { location: 'https://c.test/x', retryAfter: 'soon' };
    const redirect = { response: '', statusCode: 307, responseHeaders };
    const second = { workspaceId, id, number: 2, destination: 'https://b.test', ...redirect };
    await insertAttempt(api.database, second);
    const { body } = await api.call<DeliveryWithAttempts>('GET', single(id), { as: 'reader' });
    const [first, last] = body.attempts;
    expect(first).toMatchObject({
      destination: 'https://example.test',
      likely_cause: expect.stringContaining('limits the rate'),
    });
    expect(last).toMatchObject({
      destination: 'https://b.test',
      response: { location: 'https://c.test/x', retry_after: 'soon' },
      likely_cause: expect.stringContaining('redirects are not followed'),
    });
    expect(body).toMatchObject({
      destination: 'https://b.test',
      response: { location: 'https://c.test/x', retry_after: 'soon' },
      likely_cause: last!.likely_cause,
    });
    const [listed] = (await list(`webhook_id=${body.webhook_id}`)).body;
    expect(listed).toEqual(Object.fromEntries(Object.entries(body).filter(([name]) => name !== 'attempts')));
  });

  test('a rendered body that is not JSON is shown only to callers with webhook_update', async () => {
    const webhookId = randomUUID();
    const id = await seed({ webhookId, errorCode: 'invalid_json', rendered: '{"a": s3cret}' });
    const renderedFor = async (as: 'editor' | 'reader' | 'responder') => {
      const [one, all] = await Promise.all([
        api.call<Delivery>('GET', single(id), { as }),
        api.call<Delivery[]>('GET', `${deliveries}?webhook_id=${webhookId}`, { as }),
      ]);
      return [one.body.rendered, all.body[0]?.rendered];
    };
    expect(await renderedFor('editor')).toEqual(['{"a": s3cret}', '{"a": s3cret}']);
    expect(await renderedFor('reader')).toEqual([null, null]);
    expect(await renderedFor('responder')).toEqual([null, null]);
    const { body } = await api.call<Delivery>('POST', `${single(id)}/redeliver`);
    expect(body.rendered).toBe('{"a": s3cret}');
  });

  test('an undecryptable text of a delivery is null, and the rest is shown', async () => {
    const foreign = await seed({ rendered: 'x', secretBox: foreignBox });
    const [moved, other] = [await seed({ rendered: 'x' }), await seed({ rendered: 'y' })];
    await api.database.knex.raw(
      'update deliveries d set rendered_encrypted = o.rendered_encrypted from deliveries o where d.id = ? and o.id = ?',
      [moved, other],
    );
    for (const id of [foreign, moved])
      expect(await api.call('GET', single(id))).toMatchObject({
        status: 200,
        body: { rendered: null, status: 'failed' },
      });
  });

  test.each(['reader', 'responder'] as const)(
    'a %s sees a delivery without its request bodies',
    async (as) => {
      const id = await seed({ response: 'no', requestBody: 's3cret' });
      const { body } = await api.call<DeliveryWithAttempts>('GET', single(id), { as });
      expect(JSON.stringify(body)).not.toContain('s3cret');
      expect(body.attempts[0]).toMatchObject({ request_body: null, response: { response: 'no' } });
    },
  );

  test('a delivery shows its latest attempts up to 4 MiB, and always the last attempt', async () => {
    const id = await seed({ response: 'first' });
    const requestBody = 'x'.repeat(1_048_576);
    for (let number = 2; number <= 6; number += 1)
      await insertAttempt(api.database, { workspaceId, id, number, response: 'no', requestBody });
    const shown = async () => (await api.call<DeliveryWithAttempts>('GET', single(id))).body.attempts;
    // Encryption adds a few bytes to each body, so four bodies of 1 MiB exceed the limit of 4 MiB.
    expect((await shown()).map(({ number }) => number)).toEqual([4, 5, 6]);
    const huge = { workspaceId, id, number: 7, response: 'no', requestBody: requestBody.repeat(5) };
    await insertAttempt(api.database, huge);
    expect((await shown()).map(({ number }) => number)).toEqual([7]);
  });

  test('the limit of 4 MiB counts decompressed texts, in lists of deliveries and of attempts', async () => {
    const requestBody = 'x'.repeat(500_000);
    const webhookId = randomUUID();
    let id = '';
    for (let index = 0; index < 10; index += 1) id = await seed({ response: 'no', requestBody, webhookId });
    for (let number = 2; number <= 12; number += 1)
      await insertAttempt(api.database, {
        workspaceId,
        id,
        number,
        response: 'no',
        statusCode: 500,
        requestBody,
      });
    const { body } = await api.call<DeliveryWithAttempts>('GET', single(id));
    expect(body.attempts.map(({ number }) => number)).toEqual([5, 6, 7, 8, 9, 10, 11, 12]);
    const first = await list(`webhook_id=${webhookId}`);
    expect([first.body.length, first.headers.has('link')]).toEqual([8, true]);
    const { entries } = await readAll<Delivery>(api, `${deliveries}?webhook_id=${webhookId}`);
    expect(entries.map(({ response }) => response?.response)).toEqual(Array(10).fill('no'));
  });

  test('a delivery without attempts shows no attempts and no response', async () => {
    const { body } = await api.call<DeliveryWithAttempts>('GET', single(await seed({ status: 'skipped' })));
    expect(body).toMatchObject({ status: 'skipped', attempts_made: 0, response: null, attempts: [] });
  });

  test.each([
    ['waiting', { state: 'waiting' }],
    ['queued', { state: 'queued', lease_until: inMs(60_000) }],
    ['sending', { state: 'queued', claimed_by: randomUUID() }],
  ])('the status %s is derived from the row in open_deliveries', async (status, open) => {
    const id = await seed({ status: 'open', open });
    const { body } = await api.call<Delivery>('GET', single(id));
    expect(body.status).toBe(status);
    expect(body.next_attempt_at === null).toBe(status !== 'waiting');
    expect(await idsOf(`status=${status}`)).toContain(id);
    for (const other of ['waiting', 'queued', 'sending', 'failed'].filter((name) => name !== status))
      expect(await idsOf(`status=${other}`)).not.toContain(id);
  });

  test('an unknown delivery gets 404 and a delivery of another workspace 403', async () => {
    const id = await seed();
    expect((await api.call('GET', single(randomUUID()))).status).toBe(404);
    expect((await api.call('GET', single(id), { as: 'outsider' })).status).toBe(403);
    expect((await api.call('GET', single(id), { as: 'publisher' })).status).toBe(403);
    expect((await api.call('GET', single(id.toUpperCase()))).status).toBe(200);
  });
});

describe('redelivering', () => {
  const redeliver = (id: string, as: 'editor' | 'reader' | 'outsider' | 'publisher' = 'editor') =>
    api.call<Delivery>('POST', `${single(id)}/redeliver`, { as });

  test('redelivering an ended delivery gets 202 and opens it again', async () => {
    const id = await seed({ response: 'no' });
    const { status, body } = await redeliver(id);
    expect(status).toBe(202);
    expect(body).toMatchObject({ id, status: 'waiting', attempts_made: 1 });
    expect(await idsOf('status=failed')).not.toContain(id);
  });

  test('redelivering a waiting delivery makes it due at once', async () => {
    const id = await seed({ status: 'open' });
    const { status, body } = await redeliver(id);
    expect(status).toBe(202);
    expect(Date.parse(body.next_attempt_at ?? '')).toBeLessThanOrEqual(Date.now() + 1_000);
  });

  test('redelivering a delivery that is being sent gets 409', async () => {
    const id = await seed({
      status: 'open',
      open: { state: 'queued', claimed_by: await insertWorker(api.database) },
    });
    const { status, body } = await api.call('POST', `${single(id)}/redeliver`);
    expect([status, body.code]).toEqual([409, 'conflict']);
  });

  test('redelivery needs the permission in the workspace of the delivery', async () => {
    const id = await seed();
    for (const role of ['reader', 'publisher', 'outsider'] as const)
      expect((await redeliver(id, role)).status).toBe(403);
    expect((await redeliver(randomUUID())).status).toBe(404);
    const { body } = await api.call<Delivery>('GET', single(id));
    expect(body.status).toBe('failed');
  });

  test('concurrent redeliveries reopen a delivery only once', async () => {
    const id = await seed();
    const responses = await Promise.all(Array.from({ length: 12 }, () => redeliver(id)));
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 202));
    const [row] = await api.database.knex('deliveries').where({ id }).select('run');
    expect(row).toEqual({ run: 2 });
  });
});
