import { randomUUID } from 'node:crypto';
import type { Delivery, DeliveryWithAttempts } from '@tocsin/contracts';
import { recordId } from '@tocsin/database';
import { type DeliveryFixture, insertAttempt, insertWorker } from '@tocsin/testing/database';
import { otherWorkspaceId, startApi, type TestApi, workspaceId } from './support/api.js';
import { foreignBox, seedDelivery } from './support/history.js';
import { nextOf, readAll } from './support/paging.js';

const deliveries = `/api/v1/workspaces/${workspaceId}/deliveries`;
const single = (id: string) => `/api/v1/deliveries/${id}`;

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const seed = (options: DeliveryFixture = {}) => seedDelivery(api.database, options);
const list = (query: string) => api.call<Delivery[]>('GET', `${deliveries}?${query}`, { as: 'reader' });
const idsOf = async (query: string) => (await list(query)).body.map(({ id }) => id);
const inMs = (ms: number) => new Date(Date.now() + ms);

describe('a delivery', () => {
  test('a delivery is read without the bodies that cannot be decrypted', async () => {
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

  test('a delivery tells that attempts were removed, in a list too', async () => {
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

  test('a delivery is read with its attempts and its last response', async () => {
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

  test('the text of a body that was not JSON is shown to callers with webhook_update only', async () => {
    const webhookId = randomUUID();
    const id = await seed({ webhookId, errorCode: 'invalid_json', rendered: '{"a": s3cret}' });
    const renderedFor = async (as: 'editor' | 'reader') => {
      const [one, all] = await Promise.all([
        api.call<Delivery>('GET', single(id), { as }),
        api.call<Delivery[]>('GET', `${deliveries}?webhook_id=${webhookId}`, { as }),
      ]);
      return [one.body.rendered, all.body[0]?.rendered];
    };
    expect(await renderedFor('editor')).toEqual(['{"a": s3cret}', '{"a": s3cret}']);
    expect(await renderedFor('reader')).toEqual([null, null]);
    const { body } = await api.call<Delivery>('POST', `${single(id)}/redeliver`);
    expect(body.rendered).toBe('{"a": s3cret}');
  });

  test('a text that cannot be decrypted, or of another row, is null and the rest is shown', async () => {
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

  test('a reader sees a delivery without its request bodies', async () => {
    const id = await seed({ response: 'no', requestBody: 's3cret' });
    const { body } = await api.call<DeliveryWithAttempts>('GET', single(id), { as: 'reader' });
    expect(JSON.stringify(body)).not.toContain('s3cret');
    expect(body.attempts[0]).toMatchObject({ request_body: null, response: { response: 'no' } });
  });

  test('a delivery shows its latest attempts up to 4 MiB, and always the last one', async () => {
    const id = await seed({ response: 'first' });
    const requestBody = 'x'.repeat(1_048_576);
    for (let number = 2; number <= 6; number += 1)
      await insertAttempt(api.database, { workspaceId, id, number, response: 'no', requestBody });
    const shown = async () => (await api.call<DeliveryWithAttempts>('GET', single(id))).body.attempts;
    // Encryption adds a few bytes to each body, so four of them exceed 4 MiB.
    expect((await shown()).map(({ number }) => number)).toEqual([4, 5, 6]);
    const huge = { workspaceId, id, number: 7, response: 'no', requestBody: requestBody.repeat(5) };
    await insertAttempt(api.database, huge);
    expect((await shown()).map(({ number }) => number)).toEqual([7]);
  });

  test('a delivery without response or attempts has none', async () => {
    const { body } = await api.call<DeliveryWithAttempts>('GET', single(await seed({ status: 'skipped' })));
    expect(body).toMatchObject({ status: 'skipped', attempts_made: 0, response: null, attempts: [] });
  });

  test.each([
    ['waiting', { state: 'waiting' }],
    ['queued', { state: 'queued', lease_until: inMs(60_000) }],
    ['sending', { state: 'queued', claimed_by: randomUUID() }],
  ])('the status %s comes from the row of the open delivery', async (status, open) => {
    const id = await seed({ status: 'open', open });
    const { body } = await api.call<Delivery>('GET', single(id));
    expect(body.status).toBe(status);
    expect(body.next_attempt_at === null).toBe(status !== 'waiting');
    expect(await idsOf(`status=${status}`)).toContain(id);
    for (const other of ['waiting', 'queued', 'sending', 'failed'].filter((name) => name !== status))
      expect(await idsOf(`status=${other}`)).not.toContain(id);
  });

  test('an unknown delivery is 404 and one of another workspace 403', async () => {
    const id = await seed();
    expect((await api.call('GET', single(randomUUID()))).status).toBe(404);
    expect((await api.call('GET', single(id), { as: 'outsider' })).status).toBe(403);
    expect((await api.call('GET', single(id), { as: 'publisher' })).status).toBe(403);
    expect((await api.call('GET', single(id.toUpperCase()))).status).toBe(200);
  });
});

describe('the list of deliveries', () => {
  test('the list has the deliveries of its workspace, newest first', async () => {
    const elsewhere = await seed({ workspaceId: otherWorkspaceId });
    const older = await seed({ acceptedAtMs: Date.now() - 5_000 });
    const newer = await seed({ acceptedAtMs: Date.now() - 4_000 });
    const ids = await idsOf('limit=1000');
    expect(ids).not.toContain(elsewhere);
    expect(ids.indexOf(newer)).toBeLessThan(ids.indexOf(older));
    expect((await api.call('GET', deliveries, { as: 'outsider' })).status).toBe(403);
  });

  test('the list is filtered by webhook, alert, rule, status and status code', async () => {
    const facts = {
      webhookId: randomUUID(),
      alertId: randomUUID(),
      alertRuleId: randomUUID(),
      statusCode: 418,
    };
    const id = await seed({ ...facts, status: 'failed' });
    await seed({
      ...facts,
      alertId: randomUUID(),
      webhookId: randomUUID(),
      status: 'succeeded',
      statusCode: 200,
    });
    const { webhookId, alertId, alertRuleId } = facts;
    const all = `webhook_id=${webhookId}&alert_id=${alertId}&alert_rule_id=${alertRuleId}&status=failed&status_code=418`;
    for (const query of [`webhook_id=${webhookId}`, `alert_id=${alertId}`, 'status_code=418', all])
      expect([query, await idsOf(query)]).toEqual([query, [id]]);
    expect(await idsOf(`alert_rule_id=${alertRuleId}`)).toHaveLength(2);
    expect(await idsOf(`alert_rule_id=${alertRuleId}&status=succeeded`)).toHaveLength(1);
    expect(await idsOf(`alert_id=${randomUUID()}`)).toEqual([]);
    expect(await idsOf(`status=waiting&webhook_id=${webhookId}`)).toEqual([]);
  });

  test('the filter by alert finds its deliveries among others of the same millisecond', async () => {
    const [acceptedAtMs, alertId] = [Date.now() - 30_000, randomUUID()];
    const own = await Promise.all([1, 2, 3].map(() => seed({ alertId, acceptedAtMs })));
    await seed({ acceptedAtMs });
    expect((await idsOf(`alert_id=${alertId}`)).sort()).toEqual(own.sort());
    const until = new Date(acceptedAtMs).toISOString();
    expect(await idsOf(`alert_id=${alertId}&until=${until}`)).toEqual([]);
  });

  test('the time range includes since and excludes until', async () => {
    const webhookId = randomUUID();
    const start = Date.now() - 50_000;
    const [first, second, third] = await Promise.all(
      [0, 1, 2].map((second) => seed({ webhookId, acceptedAtMs: start + second * 1_000 })),
    );
    const at = (second: number) => encodeURIComponent(new Date(start + second * 1_000).toISOString());
    const within = (query: string) => idsOf(`webhook_id=${webhookId}&${query}`);
    expect(await within(`since=${at(1)}`)).toEqual([third, second]);
    expect(await within(`until=${at(1)}`)).toEqual([first]);
    expect(await within(`since=${at(1)}&until=${at(2)}`)).toEqual([second]);
    expect(await within(`since=${at(2)}&until=${at(1)}`)).toEqual([]);
    expect(await within('since=0001-01-01T00:00:00Z&until=9999-12-31T23:59:59-23:59')).toHaveLength(3);
  });

  test('pages lose and repeat nothing while new deliveries arrive', async () => {
    const webhookId = randomUUID();
    const ids = await Promise.all(
      Array.from({ length: 23 }, (_, index) =>
        seed({ webhookId, acceptedAtMs: Date.now() - 40_000 - (index % 5) }),
      ),
    );
    const { entries, pages } = await readAll<Delivery>(api, `${deliveries}?webhook_id=${webhookId}&limit=5`, {
      betweenPages: () => seed({ webhookId, acceptedAtMs: Date.now() }),
    });
    expect(entries.map(({ id }) => id)).toEqual([...ids].sort().reverse());
    expect(pages).toBe(5);
  });

  test('open deliveries are paged too', async () => {
    const webhookId = randomUUID();
    for (let count = 0; count < 5; count += 1) await seed({ webhookId, status: 'open' });
    const path = `${deliveries}?status=waiting&webhook_id=${webhookId}&limit=2`;
    const { entries } = await readAll<Delivery>(api, path);
    expect(new Set(entries.map(({ id }) => id)).size).toBe(5);
  });

  test('a page with large responses ends early and the next page continues', async () => {
    const webhookId = randomUUID();
    const response = 'x'.repeat(1_500_000);
    const ids = await Promise.all([1, 2, 3, 4, 5].map(() => seed({ webhookId, response })));
    const { entries, pages } = await readAll<Delivery>(api, `${deliveries}?webhook_id=${webhookId}`);
    expect(pages).toBe(3);
    expect(entries.map(({ id }) => id)).toEqual([...ids].sort().reverse());
    for (const entry of entries) expect(entry.response?.response).toHaveLength(1_500_000);
  });

  test('a page with large rendered texts ends early too', async () => {
    const webhookId = randomUUID();
    const rendered = 'x'.repeat(1_500_000);
    for (let count = 0; count < 5; count += 1) await seed({ webhookId, rendered });
    const { entries, pages } = await readAll<Delivery>(api, `${deliveries}?webhook_id=${webhookId}`);
    expect([entries.length, pages]).toEqual([5, 3]);
  });

  test('cursors that are changed, invented or of another list are refused', async () => {
    for (let count = 0; count < 3; count += 1) await seed();
    const { headers } = await list('limit=1');
    const next = new URL(nextOf(headers) ?? '', 'http://x');
    const cursor = next.searchParams.get('cursor') ?? '';
    const flipped = cursor.slice(0, -2) + (cursor.at(-2) === 'A' ? 'B' : 'A') + cursor.slice(-1);
    const made = Buffer.from(JSON.stringify([randomUUID()])).toString('base64url');
    for (const bad of [
      flipped,
      cursor.slice(1),
      `${cursor}=`,
      made,
      recordId(1, 'x'),
      `' or 1=1 --`,
      '%00',
      '💥',
    ]) {
      const { status, body } = await api.call(
        'GET',
        `${deliveries}?limit=1&cursor=${encodeURIComponent(bad)}`,
      );
      expect([bad, status, body.code]).toEqual([bad, 422, 'validation_failed']);
    }
    const other = await api.call('GET', `${deliveries}?limit=1&status=failed&cursor=${cursor}`);
    expect(other.status).toBe(422);
  });

  test.each([
    'limit=0',
    'limit=1001',
    'limit=1.5',
    'limit=9999999999999999999999',
    'limit=-1',
    'limit=5&limit=6',
    'status=open',
    'status=',
    'status=failed%00',
    `webhook_id=${encodeURIComponent("'; drop table deliveries; --")}`,
    'webhook_id=urn:uuid:00000000-0000-0000-0000-000000000000',
    'alert_id=%00',
    'status_code=99999999999',
    'status_code=2xx',
    'status_code=NaN',
    'since=yesterday',
    'since=2025-13-01T00:00:00Z',
    'until=2025-01-01',
    'until=2025-01-01T00:00:00',
    'since=2025-01-01T00:00:00Z%27--',
    'order=asc',
    '__proto__=1',
    'constructor=1',
    'cursor=',
  ])('the query %s is refused with a message', async (query) => {
    const { status, body } = await api.call('GET', `${deliveries}?${query}`);
    expect([status, body.code]).toEqual([422, 'validation_failed']);
    expect(body.errors?.[0]?.message).toMatch(/\w/);
  });
});

test('a search that times out is 503 and suggests a narrower range', async () => {
  const holder = await api.database.knex.transaction();
  await holder.raw('lock table deliveries in access exclusive mode');
  const response = await api.call('GET', deliveries);
  await holder.rollback();
  expect([response.status, response.body.code]).toEqual([503, 'unavailable']);
  expect(response.body.detail).toContain('since and until');
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect((await list('')).status).toBe(200);
});

describe('redelivering', () => {
  const redeliver = (id: string, as: 'editor' | 'reader' | 'outsider' | 'publisher' = 'editor') =>
    api.call<Delivery>('POST', `${single(id)}/redeliver`, { as });

  test('an ended delivery is 202 and open again', async () => {
    const id = await seed({ response: 'no' });
    const { status, body } = await redeliver(id);
    expect(status).toBe(202);
    expect(body).toMatchObject({ id, status: 'waiting', attempts_made: 1 });
    expect(await idsOf('status=failed')).not.toContain(id);
  });

  test('a waiting delivery is due at once', async () => {
    const id = await seed({ status: 'open' });
    const { status, body } = await redeliver(id);
    expect(status).toBe(202);
    expect(Date.parse(body.next_attempt_at ?? '')).toBeLessThanOrEqual(Date.now() + 1_000);
  });

  test('a delivery that is being sent is 409', async () => {
    const id = await seed({
      status: 'open',
      open: { state: 'queued', claimed_by: await insertWorker(api.database) },
    });
    const { status, body } = await api.call('POST', `${single(id)}/redeliver`);
    expect([status, body.code]).toEqual([409, 'conflict']);
  });

  test('redelivery needs its permission in the workspace of the delivery', async () => {
    const id = await seed();
    for (const role of ['reader', 'publisher', 'outsider'] as const)
      expect((await redeliver(id, role)).status).toBe(403);
    expect((await redeliver(randomUUID())).status).toBe(404);
    const { body } = await api.call<Delivery>('GET', single(id));
    expect(body.status).toBe('failed');
  });

  test('concurrent requests reopen a delivery once', async () => {
    const id = await seed();
    const responses = await Promise.all(Array.from({ length: 12 }, () => redeliver(id)));
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 202));
    const [row] = await api.database.knex('deliveries').where({ id }).select('run');
    expect(row).toEqual({ run: 2 });
  });
});
