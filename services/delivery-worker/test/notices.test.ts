import { randomUUID } from 'node:crypto';
import { noticeRules, reportWebhooks } from '@tocsin/deliveries';
import { until } from '@tocsin/testing';
import {
  ago,
  minuteMs,
  nameForNotices,
  noticeBody,
  noticesOf,
  report as reportNotices,
} from './support/notices.js';
import { useWorkerHarness } from './support/worker-harness.js';

const harness = useWorkerHarness({ each: 'test' });

const report = (disableAfterMs?: number) => reportNotices(harness, disableAfterMs);
const events = async () => (await report()).map(({ event }) => event);
const notices = () => noticesOf(harness);
const webhook = (id: string) => harness.database.knex('webhooks').where({ id }).first();

/** Writes the health of a webhook as a worker does when it records an outcome. */
const setHealth = (webhook_id: string, { failing, since }: { failing: boolean; since: Date }) =>
  harness.database
    .knex('webhook_health')
    .insert({ webhook_id, failing, since, last_attempt_at: new Date(), error: 'The status was 500.' })
    .onConflict('webhook_id')
    .merge();

test('a webhook that fails for ten minutes is reported once, and so is its recovery', async () => {
  const [target, failing] = [await harness.addTarget({ body: noticeBody }), await harness.addWebhook()];
  await nameForNotices(harness, target.id, failing);
  const since = ago(9 * minuteMs);
  await setHealth(failing, { failing: true, since });
  expect(await events()).toEqual([]);
  await setHealth(failing, { failing: true, since: ago(11 * minuteMs) });
  expect(await events()).toEqual(['webhook.failing']);
  expect(await events()).toEqual([]);
  await harness.startWorker();
  await until('the notice arrives', () => harness.destination.at(target.path).length === 1);
  expect(JSON.parse(harness.destination.at(target.path)[0]!.body)).toMatchObject({
    event: 'webhook.failing',
    rule: 'Tocsin: webhook failing',
    webhook: 'a webhook',
    id: failing,
    error: 'The status was 500.',
    count: 0,
    value: 0,
  });
  const [alert] = await notices();
  expect(alert).toMatchObject({ outcome: 'dispatched', model_id: failing, model_name: 'a webhook' });
  expect(alert.alert_rule_id).toBe(noticeRules['webhook.failing'].id);
  expect(alert.fired_at).toBe(alert.accepted_at.toISOString());
  expect(alert.alert_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(await harness.database.knex('deliveries').where({ webhook_id: failing })).toEqual([]);
  await setHealth(failing, { failing: false, since: new Date() });
  expect(await events()).toEqual(['webhook.recovered']);
  expect((await notices()).at(-1)).toMatchObject({
    alert_rule_id: noticeRules['webhook.recovered'].id,
    notice: { event: 'webhook.recovered', webhook_id: failing, error: '', count: 0 },
  });
  expect(await events()).toEqual([]);
});

test('twenty concurrent runs of the notice job write one notice', async () => {
  const [target, failing] = [await harness.addTarget(), await harness.addWebhook()];
  await nameForNotices(harness, target.id);
  await setHealth(failing, { failing: true, since: ago(11 * minuteMs) });
  await Promise.all(Array.from({ length: 20 }, () => report()));
  await report();
  expect(await notices()).toHaveLength(1);
});

test('no notice is written about a disabled webhook, or while no webhook receives notices', async () => {
  const [failing, disabled] = [await harness.addWebhook(), await harness.addWebhook({ enabled: false })];
  for (const id of [failing, disabled]) await setHealth(id, { failing: true, since: ago(11 * minuteMs) });
  expect(await events()).toEqual([]);
  const target = await harness.addTarget();
  await nameForNotices(harness, target.id);
  expect(await events()).toEqual(['webhook.failing']);
});

test('a notice is not sent to a webhook of another workspace', async () => {
  const other = await harness.addWebhook({ workspace: randomUUID() });
  const failing = await harness.addWebhook();
  await nameForNotices(harness, other);
  await setHealth(failing, { failing: true, since: ago(11 * minuteMs) });
  expect(await events()).toEqual(['webhook.failing']);
  expect(await notices()).toMatchObject([{ outcome: 'no_webhooks' }]);
});

test('a notice about the only webhook for notices is recorded without deliveries', async () => {
  const failing = await harness.addWebhook();
  await nameForNotices(harness, failing);
  await setHealth(failing, { failing: true, since: ago(11 * minuteMs) });
  expect(await events()).toEqual(['webhook.failing']);
  expect(await notices()).toMatchObject([{ outcome: 'no_webhooks' }]);
  expect(await harness.database.knex('deliveries')).toEqual([]);
});

test('a failed delivery of a notice changes neither health nor statistics of its webhook', async () => {
  const [target, failing] = [await harness.addTarget(), await harness.addWebhook()];
  harness.destination.respond(target.path, (_, response) => {
    response.statusCode = 404;
    response.end();
  });
  await nameForNotices(harness, target.id);
  await setHealth(failing, { failing: true, since: ago(11 * minuteMs) });
  await report();
  await harness.startWorker();
  await until('the notice has failed', async () => {
    const [row] = await harness.database.knex('deliveries').where({ webhook_id: target.id });
    return row?.status === 'failed';
  });
  const rowsOf = (table: string) => harness.database.knex(table).where({ webhook_id: target.id });
  expect(await rowsOf('webhook_health')).toEqual([]);
  expect(await rowsOf('delivery_stats')).toEqual([]);
  expect(await rowsOf('delivery_stats_changes')).toEqual([]);
});

test('a webhook that fails for too long is disabled after twenty of its deliveries have failed', async () => {
  const target = await harness.addTarget();
  const failing = await harness.addWebhook({
    columns: { rate_limit_requests: 1, rate_limit_period_ms: 1_000 },
  });
  await nameForNotices(harness, target.id);
  await setHealth(failing, { failing: true, since: ago(60 * minuteMs) });
  await harness.write(Array.from({ length: 20 }, () => harness.plan([failing])));
  const { knex } = harness.database;
  const fail = (count: number) =>
    knex('deliveries')
      .whereIn('id', knex('deliveries').select('id').where({ webhook_id: failing }).limit(count))
      .update({ status: 'failed', failed_at: new Date() });
  await fail(20);
  // Deliveries that failed before the webhook began to fail are not counted.
  await knex('deliveries')
    .where({ webhook_id: failing })
    .update({ failed_at: ago(61 * minuteMs) });
  await fail(19);
  expect((await report(30 * minuteMs)).map(({ event }) => event)).toEqual(['webhook.failing']);
  await fail(20);
  expect(await report(120 * minuteMs)).toEqual([]);
  const pauses = [
    { webhook_id: failing, reason: 'circuit' },
    { webhook_id: target.id, reason: 'circuit' },
  ].map((pause) => ({ ...pause, paused_until: ago(-minuteMs), times: 1 }));
  await knex('webhook_pauses').insert(pauses);
  const limit = { webhook_id: failing, requests: 1, period_ms: 1_000 };
  await knex('webhook_rate_limits').insert(limit);
  expect((await report(30 * minuteMs)).map(({ event }) => event)).toEqual(['webhook.disabled']);
  expect(await knex('webhook_rate_limits')).toEqual([]);
  expect(await knex('webhook_pauses').pluck('webhook_id')).toEqual([target.id]);
  expect(await webhook(failing)).toMatchObject({
    enabled: false,
    version: 2,
    last_updated_by: 'system',
    disabled_reason: expect.stringContaining('No delivery has succeeded since'),
  });
  expect(await knex('audit_events')).toMatchObject([
    {
      principal: 'system',
      action: 'webhook.updated',
      resource_id: failing,
      changed_fields: ['enabled', 'disabled_reason'],
    },
  ]);
  expect(await report(30 * minuteMs)).toEqual([]);
});

/** Adds a webhook that has been failing for an hour, with twenty deliveries that have failed just now. */
async function addFailing(columns: object = {}) {
  const failing = await harness.addWebhook({ columns });
  await setHealth(failing, { failing: true, since: ago(60 * minuteMs) });
  await harness.write(Array.from({ length: 20 }, () => harness.plan([failing])));
  await failedAgo(0);
  return failing;
}

const failedAgo = (ms: number) =>
  harness.database.knex('deliveries').update({ status: 'failed', failed_at: ago(ms) });
const attemptedAgo = (ms: number) =>
  harness.database.knex('webhook_health').update({ last_attempt_at: ago(ms) });
const pausedBetween = (from: number, to: number) =>
  `{[${ago(from * minuteMs).toISOString()}, ${ago(to * minuteMs).toISOString()})}`;
const reportAfter = async (ms: number) => {
  const reported = await reportWebhooks(harness.database, { noticeAfterMs: ms, disableAfterMs: ms });
  return reported.map(({ event }) => event);
};

test('the failed deliveries of a burst count, although the first failure comes after its alerts', async () => {
  const failing = await harness.addWebhook();
  const acceptedAtMs = ago(61 * minuteMs).getTime();
  await harness.write(Array.from({ length: 20 }, () => harness.plan([failing], { acceptedAtMs })));
  await setHealth(failing, { failing: true, since: ago(60 * minuteMs) });
  await failedAgo(61 * minuteMs);
  expect(await reportAfter(30 * minuteMs)).toEqual([]);
  await failedAgo(0);
  expect(await reportAfter(30 * minuteMs)).toEqual(['webhook.disabled']);
});

test('failed deliveries of notices do not count towards automatic disabling', async () => {
  await addFailing();
  const { knex } = harness.database;
  const one = knex('deliveries').select('id').limit(1);
  await knex('deliveries').whereIn('id', one).update({ alert_rule_id: noticeRules['webhook.failing'].id });
  expect(await reportAfter(30 * minuteMs)).toEqual([]);
  await knex('deliveries').update({ alert_rule_id: randomUUID() });
  expect(await reportAfter(30 * minuteMs)).toEqual(['webhook.disabled']);
});

test('a failing webhook is neither reported nor disabled during a manual pause', async () => {
  await nameForNotices(harness, (await harness.addTarget()).id);
  await addFailing({ manual_pauses: pausedBetween(50, -5) });
  expect(await reportAfter(30 * minuteMs)).toEqual([]);
});

test.each([
  ['a manual pause has ended', { manual_pauses: pausedBetween(50, 20) }],
  ['a person has enabled it', { enabled_changed_at: ago(20 * minuteMs) }],
])('the time until a failing webhook is reported and disabled starts again when %s', async (_, columns) => {
  await nameForNotices(harness, (await harness.addTarget()).id);
  await addFailing(columns);
  expect(await reportAfter(30 * minuteMs)).toEqual([]);
  await Promise.all([failedAgo(21 * minuteMs), attemptedAgo(21 * minuteMs)]);
  expect(await reportAfter(10 * minuteMs)).toEqual([]);
  await attemptedAgo(0);
  expect(await reportAfter(10 * minuteMs)).toEqual(['webhook.failing']);
  await failedAgo(0);
  expect(await reportAfter(10 * minuteMs)).toEqual(['webhook.disabled']);
});

test('a webhook that a person has disabled is not disabled automatically', async () => {
  const failing = await addFailing({ enabled: false, enabled_changed_at: ago(50 * minuteMs) });
  expect(await reportAfter(30 * minuteMs)).toEqual([]);
  expect(await webhook(failing)).toMatchObject({ version: 1, disabled_reason: null });
});

test('waiting deliveries become due at once when their webhook is disabled automatically', async () => {
  const failing = await addFailing();
  const { knex } = harness.database;
  await knex('open_deliveries').update({ due_at: ago(-60 * minuteMs), waiting_reason: 'retry', step: 1 });
  expect(await reportAfter(30 * minuteMs)).toEqual(['webhook.disabled']);
  expect(await knex('open_deliveries').where('due_at', '>', new Date())).toEqual([]);
  expect(await webhook(failing)).toMatchObject({ enabled: false });
});

test('a recovery is reported if an automatically disabled webhook is enabled and then succeeds', async () => {
  await nameForNotices(harness, (await harness.addTarget()).id);
  const failing = await addFailing();
  expect(await events()).toEqual(['webhook.failing']);
  expect(await reportAfter(30 * minuteMs)).toEqual(['webhook.disabled']);
  const enabled = { enabled: true, enabled_changed_at: new Date() };
  await harness.database.knex('webhooks').where({ id: failing }).update(enabled);
  expect(await reportAfter(30 * minuteMs)).toEqual([]);
  await setHealth(failing, { failing: false, since: new Date() });
  expect(await reportAfter(30 * minuteMs)).toEqual(['webhook.recovered']);
});

test('a webhook that recovers and fails again between two runs of the job counts as recovered', async () => {
  const [target, failing] = [await harness.addTarget(), await harness.addWebhook()];
  await nameForNotices(harness, target.id);
  await setHealth(failing, { failing: true, since: ago(20 * minuteMs) });
  expect(await events()).toEqual(['webhook.failing']);
  await setHealth(failing, { failing: true, since: ago(minuteMs) });
  expect(await events()).toEqual(['webhook.recovered']);
  expect(await events()).toEqual([]);
});
