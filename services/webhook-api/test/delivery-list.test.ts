import { randomUUID } from 'node:crypto';
import type { Delivery } from '@tocsin/contracts';
import { recordId } from '@tocsin/database';
import type { DeliveryFixture } from '@tocsin/testing/database';
import { otherWorkspaceId, useApi, workspaceId } from './support/api.js';
import { seedDelivery } from './support/history.js';
import { nextOf, readAll } from './support/paging.js';

const deliveries = `/api/v1/workspaces/${workspaceId}/deliveries`;
const api = useApi();
const seed = (options: DeliveryFixture = {}) => seedDelivery(api.database, options);
const list = (query: string) => api.call<Delivery[]>('GET', `${deliveries}?${query}`, { as: 'reader' });
const idsOf = async (query: string) => (await list(query)).body.map(({ id }) => id);

describe('the list of deliveries', () => {
  test('deliveries of a workspace are listed newest first', async () => {
    const elsewhere = await seed({ workspaceId: otherWorkspaceId });
    const older = await seed({ acceptedAtMs: Date.now() - 5_000 });
    const newer = await seed({ acceptedAtMs: Date.now() - 4_000 });
    const ids = await idsOf('limit=1000');
    expect(ids).not.toContain(elsewhere);
    expect(ids.indexOf(newer)).toBeLessThan(ids.indexOf(older));
    expect((await api.call('GET', deliveries, { as: 'outsider' })).status).toBe(403);
  });

  // A search that begins within the last day uses another SQL statement than other searches, so both are tested.
  test.each([
    ['of any time', ''],
    ['of the last hour', `&since=${new Date(Date.now() - 3_600_000).toISOString()}`],
  ])('deliveries %s are filtered by webhook, alert, rule, status and status code', async (_, range) => {
    const find = (query: string) => idsOf(`${query}${range}`);
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
    for (const query of [
      `webhook_id=${webhookId}`,
      `alert_id=${alertId}`,
      `status_code=418&webhook_id=${webhookId}`,
      all,
    ])
      expect([query, await find(query)]).toEqual([query, [id]]);
    expect(await find(`status=failed&webhook_id=${webhookId}&alert_rule_id=${alertRuleId}`)).toEqual([id]);
    expect(await find(`alert_rule_id=${alertRuleId}`)).toHaveLength(2);
    expect(await find(`alert_rule_id=${alertRuleId}&status=succeeded`)).toHaveLength(1);
    expect(await find(`alert_rule_id=${alertRuleId}&status_code=200`)).toHaveLength(1);
    expect(await find(`alert_id=${randomUUID()}`)).toEqual([]);
    expect(await find(`status=waiting&webhook_id=${webhookId}`)).toEqual([]);
  });

  test('the filter by alert excludes other deliveries of the same millisecond', async () => {
    const [acceptedAtMs, alertId] = [Date.now() - 30_000, randomUUID()];
    const own = await Promise.all([1, 2, 3].map(() => seed({ alertId, acceptedAtMs })));
    await seed({ acceptedAtMs });
    expect((await idsOf(`alert_id=${alertId}`)).sort()).toEqual(own.sort());
    const until = new Date(acceptedAtMs).toISOString();
    expect(await idsOf(`alert_id=${alertId}&until=${until}`)).toEqual([]);
  });

  test('the time range of a list includes the time in `since` and excludes the time in `until`', async () => {
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
    expect(await within('since=0001-01-01T00:00:00Z&until=9999-12-31T23:59:59Z')).toHaveLength(3);
  });

  test('paging neither loses nor repeats deliveries while new ones arrive', async () => {
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

  test('paging through a list of open deliveries finds all of them', async () => {
    const webhookId = randomUUID();
    for (let count = 0; count < 5; count += 1) await seed({ webhookId, status: 'open' });
    const path = `${deliveries}?status=waiting&webhook_id=${webhookId}&limit=2`;
    const { entries } = await readAll<Delivery>(api, path);
    expect(new Set(entries.map(({ id }) => id)).size).toBe(5);
  });

  test('a page of deliveries with large responses ends early, and the next page continues', async () => {
    const webhookId = randomUUID();
    const response = 'x'.repeat(1_500_000);
    const ids = await Promise.all([1, 2, 3, 4, 5].map(() => seed({ webhookId, response })));
    const { entries, pages } = await readAll<Delivery>(api, `${deliveries}?webhook_id=${webhookId}`);
    expect(pages).toBe(3);
    expect(entries.map(({ id }) => id)).toEqual([...ids].sort().reverse());
    for (const entry of entries) expect(entry.response?.response).toHaveLength(1_500_000);
  });

  test('a page of deliveries with large rendered texts ends early', async () => {
    const webhookId = randomUUID();
    const rendered = 'x'.repeat(1_500_000);
    for (let count = 0; count < 5; count += 1) await seed({ webhookId, rendered });
    const { entries, pages } = await readAll<Delivery>(api, `${deliveries}?webhook_id=${webhookId}`);
    expect([entries.length, pages]).toEqual([5, 3]);
  });

  test('a cursor that is changed, invented or created for another list is rejected', async () => {
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

  test('a time whose + was not escaped in the query is rejected with the remedy', async () => {
    const { status, body } = await api.call('GET', `${deliveries}?since=2026-11-29T00:00:00+00:00`);
    expect([status, body.errors?.[0]?.message]).toEqual([422, expect.stringContaining('write + as %2B')]);
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
    'since=0001-01-01T00:00:00%2B23:59',
    'until=9999-12-31T23:59:59-23:59',
    'order=asc',
    '__proto__=1',
    'constructor=1',
    'cursor=',
  ])('the delivery query %s is rejected with a message', async (query) => {
    const { status, body } = await api.call('GET', `${deliveries}?${query}`);
    expect([status, body.code]).toEqual([422, 'validation_failed']);
    expect(body.errors?.[0]?.message).toMatch(/\w/);
  });
});

test('a search that times out gets 503 and suggests a narrower range', async () => {
  const holder = await api.database.knex.transaction();
  await holder.raw('lock table deliveries in access exclusive mode');
  const response = await api.call('GET', deliveries);
  await holder.rollback();
  expect([response.status, response.body.code]).toEqual([503, 'unavailable']);
  expect(response.body.detail).toContain('since and until');
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect((await list('')).status).toBe(200);
});
