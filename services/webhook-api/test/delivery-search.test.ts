import { randomUUID } from 'node:crypto';
import type { Delivery } from '@tocsin/contracts';
import type { DeliveryFixture } from '@tocsin/testing/database';
import { otherWorkspaceId, useApi, workspaceId } from './support/api.js';
import { seedAlert, seedDelivery } from './support/history.js';
import { readAll } from './support/paging.js';

const deliveries = `/api/v1/workspaces/${workspaceId}/deliveries`;

const api = useApi();

const seed = (fixture: DeliveryFixture) => seedDelivery(api.database, fixture);
async function idsOf(query: Record<string, string>): Promise<string[]> {
  const path = `${deliveries}?${new URLSearchParams(query)}`;
  return (await api.call<Delivery[]>('GET', path, { as: 'reader' })).body.map(({ id }) => id);
}
const since = () => new Date(Date.now() - 3_600_000).toISOString();

/** Inserts alerts of the same millisecond, each with one delivery, and returns the ids of the deliveries. */
async function seedAtOnce(
  labels: Record<string, string>[],
  fixture: DeliveryFixture = {},
): Promise<string[]> {
  const acceptedAtMs = Date.now() - 60_000;
  const ids: string[] = [];
  for (const label of labels) {
    const alert = { ...fixture, alertId: randomUUID(), acceptedAtMs, labels: label };
    await seedAlert(api.database, alert);
    ids.push(await seed(alert));
  }
  return ids;
}

test('a search by label finds no deliveries of other alerts of the same millisecond', async () => {
  const label = randomUUID();
  const webhookId = randomUUID();
  const ids = await seedAtOnce([{ x: label }, { x: 'other' }, { y: label }], { webhookId });
  expect(await idsOf({ label: `x:${label}`, webhook_id: webhookId, since: since() })).toEqual([ids[0]]);
});

test('a search with pages of one entry finds all deliveries accepted in the same millisecond', async () => {
  const label = randomUUID();
  const ids = await seedAtOnce(Array.from({ length: 8 }, () => ({ x: label })));
  const query = new URLSearchParams({ label: `x:${label}`, since: since(), limit: '1' });
  const { entries } = await readAll<Delivery>(api, `${deliveries}?${query}`);
  expect(entries.map(({ id }) => id)).toEqual(ids.sort().reverse());
});

test('a search by error code and webhook finds only deliveries that have both', async () => {
  const [webhookId, other] = [randomUUID(), randomUUID()];
  const id = await seed({ webhookId, errorCode: 'tls_failure' });
  await seed({ webhookId, errorCode: 'timeout' });
  await seed({ webhookId: other, errorCode: 'tls_failure' });
  const query = { webhook_id: webhookId, error_code: 'tls_failure' };
  expect(await idsOf({ ...query, since: since() })).toEqual([id]);
  // A search that begins more than a day ago uses other SQL statements.
  const longAgo = new Date(Date.now() - 2 * 86_400_000).toISOString();
  expect(await idsOf({ ...query, since: longAgo })).toEqual([id]);
});

test("the filters by webhook and status find exactly the webhook's deliveries with this status", async () => {
  const webhookId = randomUUID();
  const queued = { state: 'queued', lease_until: new Date(Date.now() + 60_000) };
  const ids = {
    succeeded: await seed({ webhookId, status: 'succeeded' }),
    failed: await seed({ webhookId, status: 'failed' }),
    skipped: await seed({ webhookId, status: 'skipped' }),
    waiting: await seed({ webhookId, status: 'open' }),
    queued: await seed({ webhookId, status: 'open', open: queued }),
    sending: await seed({ webhookId, status: 'open', open: { ...queued, claimed_by: randomUUID() } }),
  };
  for (const status of ['failed', 'open'] as const) {
    await seed({ webhookId, status, workspaceId: otherWorkspaceId });
    await seed({ webhookId: randomUUID(), status });
  }
  for (const [status, id] of Object.entries(ids))
    expect([status, await idsOf({ status, webhook_id: webhookId })]).toEqual([status, [id]]);
});

test('a search by label that matches more than 5,000 alerts finds each delivery once', async () => {
  const labels = { many: randomUUID() };
  const newestMs = Date.now() - 60_000;
  const ids: string[] = [];
  const alertIds: string[] = [];
  for (const age of [0, 1, 1, 2, 3]) {
    const alert = { alertId: randomUUID(), acceptedAtMs: newestMs - age, labels };
    await seedAlert(api.database, alert);
    ids.push(await seed(alert));
    alertIds.push(alert.alertId);
  }
  const other = { alertId: randomUUID(), acceptedAtMs: newestMs - 2, labels: { many: 'other' } };
  await seedAlert(api.database, other);
  await seed(other);
  // This statement adds 4,999 alerts in the millisecond of the second and third alert, with higher ids than these two.
  // The newest 5,001 alerts, which the search reads first, are the first alert, the added ones, and one of these two.
  await api.database.knex.raw(
    `insert into alerts (id, workspace_id, alert_id, accepted_at, fired_at, alert_rule_id, alert_rule_name, model_id,
                         model_name, metric_value, threshold, bound, outcome, labels)
     select cast(left(id::text, 14) || 'f' || right(gen_random_uuid()::text, 21) as uuid), workspace_id,
            gen_random_uuid(), accepted_at, fired_at, alert_rule_id, alert_rule_name, model_id, model_name,
            metric_value, threshold, bound, outcome, labels
     from alerts, generate_series(1, 4999) where alert_id = ?`,
    [alertIds[1]!],
  );
  const query = { label: `many:${labels.many}`, since: since() };
  const expected = [ids[0], ...ids.slice(1, 3).toSorted().toReversed(), ids[3], ids[4]];
  expect(await idsOf(query)).toEqual(expected);
  const path = `${deliveries}?${new URLSearchParams({ ...query, limit: '2', count: 'true' })}`;
  const { entries } = await readAll<Delivery>(api, path);
  expect(entries.map(({ id }) => id)).toEqual(expected);
  expect((await api.call('GET', path)).headers.get('x-total-count')).toBe('5');
  const alerts = `/api/v1/workspaces/${workspaceId}/alerts?${new URLSearchParams({ ...query, limit: '1' })}`;
  const { body } = await api.call<{ alert_id: string }[]>('GET', alerts);
  expect(body.map(({ alert_id }) => alert_id)).toEqual(alertIds.slice(0, 1));
});
