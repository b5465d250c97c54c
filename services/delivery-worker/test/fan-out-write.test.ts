import { randomUUID } from 'node:crypto';
import { useTestDatabase } from '@tocsin/testing/database';
import { createFanOutRepository } from '../src/fan-out/fan-out-repository.js';
import { useDatabaseFixtures } from './support/database-fixtures.js';

const db = useTestDatabase();
const fixtures = useDatabaseFixtures(db);

const aMinuteMs = 60_000;
const isNow = (time: Date) => Math.abs(time.getTime() - Date.now()) < aMinuteMs / 2;

test.each(['webhook_deleted', 'over_quota'] as const)(
  'a delivery written as failed with %s has a time of failure, and no row in open_deliveries',
  async (state) => {
    const planned = fixtures.plan([randomUUID()], { state });
    const { ids } = await fixtures.write([planned]);
    const { id } = planned.deliveries[0]!;
    expect([...ids]).toEqual([planned.recordId]);
    const row = await fixtures.delivery(id);
    expect(row).toMatchObject({ status: 'failed', error_code: state, error: expect.any(String), run: 1 });
    expect(isNow(row.failed_at)).toBe(true);
    expect(await fixtures.open(id)).toBeUndefined();
  },
);

test('an alert is stored with request id, publisher, test flag, state, labels and annotations', async () => {
  const stored = async (changes: object, alertChanges: object) => {
    const planned = fixtures.plan([]);
    Object.assign(planned.resolved, changes);
    Object.assign(planned.resolved.alert, alertChanges);
    await fixtures.write([planned]);
    return db.database.knex('alerts').where({ id: planned.recordId }).first();
  };
  const publishedBy = randomUUID();
  const texts = { labels: { team: 'risk' }, annotations: { note: 'a "note"' } };
  const alert = { is_test: true, state: 'resolved', ...texts };
  const given = { requestId: 'request', publishedBy, span: { traceparent: '00-trace' } };
  const storedWebhookIds = [randomUUID(), randomUUID()];
  expect(await stored({ ...given, storedWebhookIds }, alert)).toMatchObject({
    request_id: 'request',
    published_by: publishedBy,
    traceparent: '00-trace',
    webhook_ids: storedWebhookIds,
    ...alert,
  });
  expect(await stored({}, {})).toMatchObject({
    request_id: null,
    traceparent: null,
    webhook_ids: null,
    published_by: null,
    is_test: false,
    state: 'firing',
    labels: null,
    annotations: null,
  });
});

test('an open delivery is written as waiting, queued or claimed, with a lease unless it waits', async () => {
  const written = async (state: 'waiting' | 'queued' | 'claimed', token = randomUUID()) => {
    const planned = fixtures.plan([await fixtures.addWebhook()], { state });
    const { ids } = await fixtures.write([planned], { token });
    const { id } = planned.deliveries[0]!;
    expect(ids).toEqual(new Set([planned.recordId, id]));
    expect(await fixtures.delivery(id)).toMatchObject({ status: 'open', failed_at: null, error_code: null });
    const { lease_until, ...row } = await fixtures.open(id);
    expect([isNow(row.due_at), isNow(row.opened_at)]).toEqual([true, true]);
    if (state === 'waiting') expect(lease_until).toBeNull();
    else expect(isNow(new Date(lease_until.getTime() - aMinuteMs))).toBe(true);
    return row;
  };
  const unclaimed = { claim: 0, claimed_by: null, claim_token: null, claims_without_outcome: 0, run: 1 };
  expect(await written('waiting')).toMatchObject({ state: 'waiting', ...unclaimed });
  expect(await written('queued')).toMatchObject({ state: 'queued', ...unclaimed });
  const token = randomUUID();
  expect(await written('claimed', token)).toMatchObject({
    state: 'queued',
    claim: 1,
    claimed_by: fixtures.workerId,
    claim_token: token,
    claims_without_outcome: 1,
  });
});

test('an alert is written once with its fields, even if two batches contain it', async () => {
  const alertId = randomUUID();
  const [first, second] = [
    fixtures.plan([], { alertId }),
    fixtures.plan([], { alertId, acceptedAtMs: Date.now() + 5 }),
  ];
  expect((await fixtures.write([first])).ids.size).toBe(1);
  expect((await fixtures.write([second, fixtures.plan([])])).ids.size).toBe(1);
  const [row, ...others] = await db.database.knex('alerts').where({ alert_id: alertId });
  expect([row, others]).toMatchObject([
    {
      model_name: 'churn',
      metric_value: 0.5,
      threshold: 0.4,
      bound: 'upper_bound',
      outcome: 'dispatched',
      alert_rule_name: 'a rule',
      fired_at: '2026-01-02T03:04:05Z',
      webhook_ids: null,
    },
    [],
  ]);
});

test('only a newer pipeline marker replaces the stored one; a future one gets the current time', async () => {
  const repository = createFanOutRepository(db.database, {
    workerId: randomUUID(),
    queuedLeaseMs: aMinuteMs,
  });
  const markAt = async (markedAtMs: number) => {
    await repository.write([], { acceptedAtMs: Date.now(), token: randomUUID(), markedAtMs });
    return (await db.database.knex('pipeline_marker').first()).marked_at as Date;
  };
  const now = Date.now();
  expect((await markAt(now - 20_000)).getTime()).toBe(now - 20_000);
  expect((await markAt(now - 10_000)).getTime()).toBe(now - 10_000);
  expect((await markAt(now - 20_000)).getTime()).toBe(now - 10_000);
  await db.database.knex('pipeline_marker').delete();
  expect(isNow(await markAt(now + 86_400_000))).toBe(true);
});
