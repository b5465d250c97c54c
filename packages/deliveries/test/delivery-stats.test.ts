import { randomUUID } from 'node:crypto';
import { firstIdAt } from '@tocsin/database';
import { allWebhooks, applyStatsChanges, deleteExpired, noticeRules, redeliver } from '@tocsin/deliveries';
import { insertDelivery, useTestDatabase } from '@tocsin/testing/database';

const db = useTestDatabase();

const knex = () => db.database.knex;
const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;
/**
 * Noon of yesterday in UTC plus half a minute, so that deliveries of a test that are minutes apart are in the same hour
 * and day.
 */
const noonMs = Math.floor(Date.now() / dayMs) * dayMs - dayMs / 2 + minuteMs / 2;

interface Counts {
  open: number;
  succeeded: number;
  failed: number;
  skipped: number;
  attempts: number;
}

async function applyAll(): Promise<void> {
  let moreAreLeft = true;
  while (moreAreLeft) moreAreLeft = await applyStatsChanges(db.database);
}

/** Returns the counts of a workspace by webhook and minute. They include changes that are not applied yet. */
async function counted(workspaceId: string): Promise<object[]> {
  const { rows } = await knex().raw(
    `select webhook_id, at, sum(open)::integer as open, sum(succeeded)::integer as succeeded,
            sum(failed)::integer as failed, sum(skipped)::integer as skipped, sum(attempts)::integer as attempts
     from (select webhook_id, at, open, succeeded, failed, skipped, attempts from delivery_stats
           where workspace_id = :workspaceId and not is_total and step_minutes = 1
           union all
           select webhook_id, minute, open, succeeded, failed, skipped, attempts from delivery_stats_changes
           where workspace_id = :workspaceId) both_tables
     group by webhook_id, at order by webhook_id, at`,
    { workspaceId },
  );
  return rows;
}

/** Returns the counts that `counted` should return, computed from the rows of the table `deliveries`. */
async function expected(workspaceId: string): Promise<object[]> {
  const { rows } = await knex().raw(
    `select webhook_id, date_trunc('minute', to_timestamp(accepted_ms(uuid_send(id)) / 1000.0)) as at,
            (count(*) filter (where status = 'open'))::integer as open,
            (count(*) filter (where status = 'succeeded'))::integer as succeeded,
            (count(*) filter (where status = 'failed'))::integer as failed,
            (count(*) filter (where status = 'skipped'))::integer as skipped,
            sum(attempts_made)::integer as attempts
     from deliveries where workspace_id = ? group by 1, 2 order by 1, 2`,
    [workspaceId],
  );
  return rows;
}

test('deliveries are counted in their minute of acceptance under their current status', async () => {
  const workspaceId = randomUUID();
  const webhookIds = [randomUUID(), randomUUID()];
  const ids: string[] = [];
  for (let index = 0; index < 12; index += 1)
    ids.push(
      await insertDelivery(db.database, {
        workspaceId,
        webhookId: webhookIds[index % 2]!,
        acceptedAtMs: noonMs + (index % 3) * minuteMs,
        status: (['open', 'succeeded', 'failed', 'skipped'] as const)[index % 4]!,
        claims: index % 5,
      }),
    );
  expect(await counted(workspaceId)).toEqual(await expected(workspaceId));
  await applyAll();
  expect(await counted(workspaceId)).toEqual(await expected(workspaceId));
  // The first statement changes rows of several webhooks and minutes. Some of these rows have already succeeded and
  // keep their status.
  await knex()('deliveries').whereIn('id', ids.slice(0, 6)).update({ status: 'succeeded', attempts_made: 7 });
  await knex()('deliveries').whereIn('id', ids.slice(4, 8)).update({ error: 'noted' });
  await knex()('deliveries').where({ id: ids[11] }).delete();
  expect(await counted(workspaceId)).toEqual(await expected(workspaceId));
  await applyAll();
  expect(await counted(workspaceId)).toEqual(await expected(workspaceId));
});

test('an update of only the error and status code of a delivery does not affect any counts', async () => {
  const id = await insertDelivery(db.database, { acceptedAtMs: noonMs });
  await applyAll();
  await knex()('deliveries').where({ id }).update({ error: 'another', status_code: 404 });
  expect(await knex()('delivery_stats_changes')).toEqual([]);
});

test.each(Object.entries(noticeRules))('deliveries of the notice %s are not counted', async (_, rule) => {
  const workspaceId = randomUUID();
  await insertDelivery(db.database, { workspaceId, alertRuleId: rule.id, acceptedAtMs: noonMs });
  await applyAll();
  expect(await counted(workspaceId)).toEqual([]);
});

test('a statement that adds many deliveries writes one row of changes per webhook and minute', async () => {
  const webhookId = randomUUID();
  const workspaceId = randomUUID();
  await insertMany({ workspaceId, webhookId, count: 500, latencyMs: 100 });
  const rows = await knex()('delivery_stats_changes').where({ workspace_id: workspaceId });
  expect(rows).toMatchObject([{ webhook_id: webhookId, succeeded: 500, open: 0 }]);
});

test('counts by minute, hour and day have equal sums, for each webhook and for the workspace', async () => {
  const workspaceId = randomUUID();
  const webhookIds = [randomUUID(), randomUUID()];
  for (const webhookId of webhookIds)
    for (const minutes of [0, 1, 70])
      await insertDelivery(db.database, {
        workspaceId,
        webhookId,
        acceptedAtMs: noonMs + minutes * minuteMs,
        status: 'skipped',
      });
  await applyAll();
  const rowsOf = async (isTotal: boolean, step: number): Promise<(Counts & { webhook_id: string })[]> =>
    knex()('delivery_stats')
      .where({ workspace_id: workspaceId, is_total: isTotal, step_minutes: step })
      .orderBy(['webhook_id', 'at']);
  const skipped = (rows: Counts[]) => rows.map((row) => row.skipped);
  expect(skipped(await rowsOf(false, 1))).toEqual([1, 1, 1, 1, 1, 1]);
  expect(skipped(await rowsOf(false, 60))).toEqual([2, 1, 2, 1]);
  expect(skipped(await rowsOf(false, 1_440))).toEqual([3, 3]);
  expect(skipped(await rowsOf(true, 1))).toEqual([2, 2, 2]);
  expect(skipped(await rowsOf(true, 60))).toEqual([4, 2]);
  expect(await rowsOf(true, 1_440)).toMatchObject([{ webhook_id: allWebhooks, skipped: 6 }]);
});

test('a webhook with the id zero has its own counts, although workspace counts use this id too', async () => {
  const workspaceId = randomUUID();
  await insertDelivery(db.database, { workspaceId, webhookId: allWebhooks, acceptedAtMs: noonMs });
  await applyAll();
  const rows = await knex()('delivery_stats').where({ workspace_id: workspaceId, step_minutes: 1_440 });
  expect(rows.map(({ is_total, failed }) => [is_total, failed]).sort()).toEqual([
    [false, 1],
    [true, 1],
  ]);
});

test('the last latency bucket has all long latencies, because an entry has eight bits for it', async () => {
  const bucketOf = async (ms: number) =>
    (await db.database.knex.raw('select latency_bucket(?) as bucket', [ms])).rows[0].bucket;
  const dayMs = 86_400_000;
  expect([await bucketOf(41 * dayMs), await bucketOf(60 * dayMs)]).toEqual([254, 255]);
});

test('latencies are counted in latency buckets, and a redelivery removes the old latency', async () => {
  const workspaceId = randomUUID();
  const webhookId = randomUUID();
  await insertMany({ workspaceId, webhookId, count: 3, latencyMs: 100 });
  const [id] = await insertMany({ workspaceId, webhookId, count: 1, latencyMs: 4_000 });
  await applyAll();
  const day = async () => {
    const [row] = await knex()('delivery_stats').where({
      workspace_id: workspaceId,
      is_total: true,
      step_minutes: 1_440,
    });
    return { ...row, histogram: histogramOf(row.latencies) };
  };
  // Bucket 54 starts at 2^((54 - 1) / 8) = 98.7 ms, and bucket 96 at 2^((96 - 1) / 8) = 3,756 ms.
  expect(await day()).toMatchObject({ succeeded: 4, histogram: { 54: 3, 96: 1 } });
  expect(await redeliver(db.database, id!)).toBe('reopened');
  await applyAll();
  expect(await day()).toMatchObject({ succeeded: 3, open: 1, histogram: { 54: 3, 96: 0 } });
});

test('concurrent processes apply every change of the counts exactly once', async () => {
  const workspaceId = randomUUID();
  const webhookIds = [randomUUID(), randomUUID()];
  const write = async (webhookId: string) => {
    for (let round = 0; round < 20; round += 1)
      await insertMany({ workspaceId, webhookId, count: 5, latencyMs: 10 * round });
  };
  const writers = Promise.all(webhookIds.map(write));
  let writing = true;
  void writers.finally(() => {
    writing = false;
  });
  const apply = async () => {
    while (writing) await applyStatsChanges(db.database);
  };
  await Promise.all([apply(), apply(), apply(), writers]);
  await applyAll();
  expect(await counted(workspaceId)).toEqual(await expected(workspaceId));
  expect(await knex()('delivery_stats_changes')).toEqual([]);
});

test('counts older than the retention are deleted, unless partitions of their day exist', async () => {
  const workspaceId = randomUUID();
  await insertDelivery(db.database, { workspaceId, acceptedAtMs: noonMs });
  await applyAll();
  const row = { workspace_id: workspaceId, is_total: true, webhook_id: allWebhooks, step_minutes: 1 };
  const counts = { open: 0, succeeded: 1, failed: 0, skipped: 0, attempts: 1 };
  const old = new Date(Date.now() - 100 * dayMs);
  const latencies = { latencies: [] };
  await knex()('delivery_stats').insert({ ...row, ...counts, ...latencies, at: old });
  const rows = () => knex()('delivery_stats').where({ workspace_id: workspaceId });
  expect(await rows()).toHaveLength(7);
  await deleteExpired(db.database, 'statistics', { nowMs: Date.now(), retentionDays: 90 });
  expect(await rows()).toHaveLength(6);
  // The partitions of yesterday exist. The counts of yesterday are therefore kept even if the retention is 0 days.
  await deleteExpired(db.database, 'statistics', { nowMs: Date.now(), retentionDays: 0 });
  expect(await rows()).toHaveLength(6);
});

test('a histogram of ten buckets has at most 64 entries, and merging them keeps all counts', async () => {
  const workspaceId = randomUUID();
  const webhookId = randomUUID();
  const expectedNumbers: Record<number, number> = {};
  for (let round = 0; round < 40; round += 1) {
    const latencyMs = 2 ** (round % 10);
    const count = round % 7 === 0 ? 100 : 3;
    await insertMany({ workspaceId, webhookId, count, latencyMs });
    const bucket = 1 + 8 * (round % 10);
    expectedNumbers[bucket] = (expectedNumbers[bucket] ?? 0) + count;
    await applyAll();
  }
  const rows = await knex()('delivery_stats').where({ workspace_id: workspaceId });
  expect(rows).toHaveLength(6);
  for (const { latencies } of rows) {
    expect(latencies.length).toBeLessThanOrEqual(64);
    expect(histogramOf(latencies)).toEqual(expectedNumbers);
  }
});

test('many changes that are applied at once add only one histogram entry for each latency bucket', async () => {
  const workspaceId = randomUUID();
  const webhookId = randomUUID();
  for (let round = 0; round < 70; round += 1)
    await insertMany({ workspaceId, webhookId, count: 1, latencyMs: 2 ** (round % 10) });
  await applyAll();
  const rows = await knex()('delivery_stats').where({ workspace_id: workspaceId });
  expect(rows).toHaveLength(6);
  for (const { latencies } of rows) expect(latencies).toHaveLength(10);
});

test('a merged histogram has no entry for a bucket without deliveries', async () => {
  const { rows } = await knex().raw('select merge_latencies(array[?, ?, ?]::bigint[]) as merged', [
    256 * 2 + 7,
    256 * 3 + 9,
    256 * -2 + 7,
  ]);
  expect(rows[0].merged.map(Number)).toEqual([256 * 3 + 9]);
});

/**
 * Returns the number of deliveries by latency bucket. Each item of `latencies` is 256 times a number of deliveries plus
 * its bucket. The items are texts, because pg returns the type bigint as text.
 */
function histogramOf(latencies: string[]): Record<number, number> {
  const numbers: Record<number, number> = {};
  for (const entry of latencies.map(Number)) {
    const bucket = entry & 255;
    numbers[bucket] = (numbers[bucket] ?? 0) + (entry - bucket) / 256;
  }
  return numbers;
}

interface ManyDeliveries {
  workspaceId: string;
  webhookId: string;
  count: number;
  latencyMs: number;
}

/** Inserts succeeded deliveries of one minute with one statement. Returns their ids. */
async function insertMany({ workspaceId, webhookId, count, latencyMs }: ManyDeliveries): Promise<string[]> {
  const ids = Array.from(
    { length: count },
    () => `${firstIdAt(noonMs).slice(0, 14)}8${randomUUID().slice(15)}`,
  );
  const columns = {
    workspace_id: workspaceId,
    webhook_id: webhookId,
    alert_rule_id: randomUUID(),
    webhook_name: 'Hook',
    destination: 'https://example.test',
    status: 'succeeded',
    attempts_made: 1,
    first_succeeded_at: new Date(noonMs + latencyMs),
  };
  const rows = ids.map((id) => ({ id, alert_id: id, alert_record_id: id, ...columns }));
  await knex()('deliveries').insert(rows);
  return ids;
}
