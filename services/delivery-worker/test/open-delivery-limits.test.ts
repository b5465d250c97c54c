import { randomUUID } from 'node:crypto';
import { until } from '@tocsin/testing';
import { createWorkerHarness, type WorkerHarness } from './support/worker-harness.js';

let harness: WorkerHarness;
afterEach(() => harness.close());

async function start(openDeliveries: { perWebhook: number; perWorkspace: number }) {
  harness = await createWorkerHarness({ openDeliveries });
  await harness.startWorker();
}

/** Adds a webhook that is paused, so that its deliveries wait. */
async function addPausedTarget() {
  const target = await harness.addTarget();
  await harness.pauses.pause([
    { webhookId: target.id, version: 1, reason: 'retry_after', forMs: 3_600_000, times: 1, error: '429' },
  ]);
  return target;
}

const accepted = (alertIds: string[]) =>
  until('all alerts are accepted', async () => {
    const rows = await harness.database.knex('alerts').whereIn('alert_id', alertIds);
    return rows.length === alertIds.length && rows;
  });
const openOf = (webhookId: string) =>
  harness.database.knex('open_deliveries').where({ webhook_id: webhookId });

test('new deliveries of a webhook at its limit fail as over_quota, and others are opened', async () => {
  await start({ perWebhook: 4, perWorkspace: 1_000 });
  const [full, other] = [await addPausedTarget(), await harness.addTarget()];
  const ruleId = await harness.addRule([full.id, other.id]);
  const alertIds: string[] = [];
  for (let count = 1; count <= 10; count += 1) {
    alertIds.push(await harness.fire(ruleId));
    await until('the other webhook has been called', async () => {
      const open = await openOf(other.id);
      return harness.destination.at(other.path).length === count && open.length === 0;
    });
  }
  const alerts = await accepted(alertIds);
  expect(alerts.every(({ outcome }) => outcome === 'dispatched')).toBe(true);
  expect(await openOf(full.id)).toHaveLength(4);
  const failed = await harness.database.knex('deliveries').where({ webhook_id: full.id, status: 'failed' });
  expect(failed).toHaveLength(6);
  expect(failed[0]).toMatchObject({ error_code: 'over_quota', attempts_made: 0, claims: 0 });

  // Without open deliveries the webhook is below its limit, so its next delivery does not fail.
  await harness.database.knex('open_deliveries').where({ webhook_id: full.id }).delete();
  await accepted([await harness.fire(ruleId)]);
  expect(await openOf(full.id)).toHaveLength(1);
}, 60_000);

test('an alert of a workspace at its limit is recorded as over_quota, without deliveries', async () => {
  await start({ perWebhook: 1_000, perWorkspace: 10 });
  const targets = [await addPausedTarget(), await addPausedTarget(), await addPausedTarget()];
  const webhookIds = targets.map(({ id }) => id);
  const ruleId = await harness.addRule(webhookIds);
  const alertIds = await Promise.all(Array.from({ length: 30 }, () => harness.fire(ruleId)));
  const alerts = await accepted(alertIds);
  const refused = alerts.filter(({ outcome }) => outcome === 'over_quota');
  expect(refused).toHaveLength(26);
  const { rows } = await harness.database.knex.raw(
    `select count(*)::integer as count from alerts where outcome = 'over_quota' and webhook_ids = cast(? as uuid[])`,
    [webhookIds],
  );
  expect(rows[0].count).toBe(26);
  expect(await harness.database.knex('deliveries')).toHaveLength(12);

  // The limit of a workspace also applies to alerts whose message contains an unregistered rule. It does not apply to
  // alerts of another workspace.
  const alert_rule = {
    name: 'of the monitor',
    enabled: true,
    threshold: 0.25,
    bound: 'lower_bound',
    notification_webhook_ids: webhookIds,
  };
  const [own] = await accepted([await harness.fire(randomUUID(), { alert_rule })]);
  expect(own).toMatchObject({ outcome: 'over_quota' });
  const workspaceId = randomUUID();
  const target = await harness.addTarget({ workspace: workspaceId });
  await harness.fire(await harness.addRule([target.id], { workspaceId }), { workspace_id: workspaceId });
  await until('the other workspace is served', () => harness.destination.at(target.path).length === 1);
}, 60_000);
