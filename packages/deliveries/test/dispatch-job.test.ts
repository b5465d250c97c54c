import { randomUUID } from 'node:crypto';
import type { DispatchFilter } from '@tocsin/contracts';
import { countForJob } from '@tocsin/deliveries';
import { type AlertFixture, insertAlert, insertAlertRule, insertWebhook } from '@tocsin/testing/database';
import { useJobs } from './support/jobs.js';

const { db, workspaceId, addJob, job, limitOpen, runPage, runToEnd } = useJobs({
  kind: 'dispatch',
  filter: {},
});

const addWebhook = () => insertWebhook(db.database, { workspaceId });
const addRule = (webhookIds: string[], options: { enabled?: boolean; deleted?: boolean } = {}) =>
  insertAlertRule(db.database, { workspaceId, webhookIds, ...options });

async function seed(count: number, fixture: AlertFixture): Promise<string[]> {
  const alerts = Array.from({ length: count }, (_, index) =>
    insertAlert(db.database, { workspaceId, acceptedAtMs: Date.now() - 60_000 - index, ...fixture }),
  );
  return (await Promise.all(alerts)).map(({ alertId }) => alertId);
}

const dispatched = async () =>
  new Set(await db.database.knex('alerts').whereNotNull('dispatched_at').pluck('alert_id'));

test('a job dispatches each alert without deliveries once, page by page', async () => {
  const webhookIds = [await addWebhook(), await addWebhook()];
  const alertRuleId = await addRule(webhookIds);
  const ids = [];
  for (const outcome of ['no_webhooks', 'rule_disabled', 'over_quota', 'suppressed'])
    ids.push(...(await seed(5, { alertRuleId, outcome })));
  await seed(3, { alertRuleId, outcome: 'dispatched' });
  await seed(3, { alertRuleId, outcome: 'rule_deleted' });
  // Alerts of another workspace, which the job must not dispatch. They are older than the alerts of the job, and pages
  // are read newest first. A page that wrongly contained them would therefore start with an alert of the job, and
  // all alerts of the page would be dispatched in the workspace of that alert.
  const acceptedAtMs = Date.now() - 90_000;
  await seed(3, { workspaceId: randomUUID(), alertRuleId, outcome: 'no_webhooks', acceptedAtMs });
  const id = await addJob();
  await runToEnd(7);
  expect(await job(id)).toMatchObject({ status: 'done', done: 20 });
  expect(await dispatched()).toEqual(new Set(ids));
  const deliveries = await db.database.knex('open_deliveries');
  expect(deliveries).toHaveLength(40);
  for (const row of deliveries) expect(row).toMatchObject({ manual: true, state: 'waiting', run: 1 });
  const alert = await db.database.knex('alerts').where({ alert_id: ids[0] }).first();
  expect(alert).toMatchObject({ outcome: 'dispatched', dispatched_by: 'issuer#ada' });
});

test.each(['outcome', 'rule', 'time'])(
  'a job with a filter by %s dispatches the same alerts that countForJob has counted',
  async (by) => {
    const webhookIds = [await addWebhook()];
    const [wanted, other] = [await addRule(webhookIds), await addRule(webhookIds)];
    const now = Date.now();
    const ids = await seed(1, { alertRuleId: wanted, outcome: 'suppressed', acceptedAtMs: now - 1_000 });
    await seed(5, { alertRuleId: other, outcome: 'no_webhooks', acceptedAtMs: now - 10_000 });
    const filters: Record<string, Partial<DispatchFilter>> = {
      outcome: { outcome: 'suppressed' },
      rule: { alert_rule_id: wanted },
      time: { since: new Date(now - 5_000).toISOString() },
    };
    const filter = { until: new Date().toISOString(), ...filters[by] };
    const counted = { kind: 'dispatch' as const, workspaceId, filter, max: 100, timeoutMs: 5_000 };
    expect(await countForJob(db.database, counted)).toBe(1);
    await addJob(filter);
    await runToEnd(2);
    expect(await dispatched()).toEqual(new Set(ids));
  },
);

test('a job skips alerts whose rule has no webhooks, is disabled or is deleted', async () => {
  const webhookId = await addWebhook();
  const rules = [
    await addRule([]),
    await addRule([webhookId], { enabled: false }),
    await addRule([webhookId], { deleted: true }),
  ];
  for (const alertRuleId of rules) await seed(2, { alertRuleId, outcome: 'no_webhooks' });
  const embedded = await seed(1, { outcome: 'rule_disabled', webhookIds: [webhookId, randomUUID()] });
  const id = await addJob();
  await runToEnd(10);
  expect(await job(id)).toMatchObject({ status: 'done', done: 1 });
  expect(await dispatched()).toEqual(new Set(embedded));
  const rows = await db.database.knex('deliveries').select('status', 'error_code').orderBy('status');
  expect(rows).toEqual([
    { status: 'failed', error_code: 'webhook_deleted' },
    { status: 'open', error_code: null },
  ]);
  expect(await db.database.knex('open_deliveries').pluck('webhook_id')).toEqual([webhookId]);
});

test('two concurrent jobs dispatch each alert once', async () => {
  const alertRuleId = await addRule([await addWebhook()]);
  await seed(60, { alertRuleId, outcome: 'no_webhooks' });
  const ids = [await addJob(), await addJob()];
  await Promise.all([runToEnd(10), runToEnd(10)]);
  const jobs = await Promise.all(ids.map(job));
  expect(jobs.map(({ status }) => status)).toEqual(['done', 'done']);
  expect(jobs[0].done + jobs[1].done).toBe(60);
  expect(await db.database.knex('open_deliveries')).toHaveLength(60);
});

test("a job waits while more than half of a webhook's limit on open deliveries is used", async () => {
  const limits = { perWebhook: 10, perWorkspace: 1_000 };
  limitOpen(limits);
  const alertRuleId = await addRule([await addWebhook()]);
  await seed(12, { alertRuleId, outcome: 'no_webhooks' });
  const id = await addJob();
  const page = () => runPage(50);
  expect(await page()).toMatchObject({ done: 6, mustWait: true, finished: false });
  expect(await page()).toMatchObject({ done: 0, mustWait: true });
  await db.database.knex('open_deliveries').delete();
  limitOpen(limits);
  expect(await page()).toMatchObject({ done: 6, finished: true });
  expect(await job(id)).toMatchObject({ status: 'done', done: 12 });
});
