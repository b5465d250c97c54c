import { randomUUID } from 'node:crypto';
import { insertAlertRule, insertWebhook, useTestDatabase } from '@tocsin/testing/database';
import { createRulesReader } from '../src/fan-out/rules-reader.js';

const workspaceId = randomUUID();

const db = useTestDatabase();

test("the reader returns a rule, its webhooks in their order, and the database's time", async () => {
  const webhookIds = await Promise.all(
    Array.from({ length: 5 }, () => insertWebhook(db.database, { workspaceId })),
  );
  const ordered = webhookIds.sort().reverse();
  const id = await insertAlertRule(db.database, { workspaceId, webhookIds: ordered });
  const { rules, webhooks, nowMs } = await createRulesReader(db.database).find({
    ruleIds: [id],
    webhookIds: [],
  });
  expect(rules.get(id)).toEqual({
    id,
    workspaceId,
    name: 'Churn is high',
    threshold: 0.4,
    bound: 'upper_bound',
    enabled: true,
    deleted: false,
    silenced: false,
    hasCooldown: false,
    webhookIds: ordered,
  });
  expect(new Set(webhooks.keys())).toEqual(new Set(ordered));
  expect(webhooks.get(ordered[0]!)).toEqual({
    id: ordered[0],
    workspaceId,
    name: 'a webhook',
    destination: 'http://127.0.0.1:9',
    version: 1,
    enabled: true,
    retryOnTimeout: true,
    mustWait: false,
  });
  expect(Math.abs(nowMs - Date.now())).toBeLessThan(30_000);
});

test('the reader returns deleted rules, webhooks named in messages, and paused webhooks', async () => {
  const columns = { retry_on_timeout: false, version: 3 };
  const named = await insertWebhook(db.database, { workspaceId, enabled: false, columns });
  const paused = await insertWebhook(db.database, { workspaceId });
  await db.database
    .knex('webhook_pauses')
    .insert({ webhook_id: paused, reason: 'circuit', paused_until: new Date(0), times: 1 });
  const ruleId = await insertAlertRule(db.database, { workspaceId, deleted: true, enabled: false });
  const unknown = randomUUID();
  const { rules, webhooks } = await createRulesReader(db.database).find({
    ruleIds: [ruleId, unknown],
    webhookIds: [named, paused, unknown],
  });
  expect(rules.get(ruleId)).toMatchObject({ deleted: true, enabled: false, webhookIds: [] });
  const flags = { enabled: false, mustWait: false, retryOnTimeout: false, version: 3 };
  expect(webhooks.get(named)).toMatchObject(flags);
  // A pause that has ended keeps its row while single requests probe the destination. New deliveries must still wait.
  expect(webhooks.get(paused)).toMatchObject({ mustWait: true });
  expect([rules.size, webhooks.size]).toEqual([1, 2]);
});

test('the reader returns silences and cooldowns; `mustWait` is true for a rate-limited webhook', async () => {
  const rate_limit = { rate_limit_requests: 5, rate_limit_period_ms: 1_000 };
  const limited = await insertWebhook(db.database, { workspaceId, columns: rate_limit });
  const ruleWith = (columns: object) => insertAlertRule(db.database, { workspaceId, columns });
  const ids = [
    await ruleWith({ silenced_until: new Date(Date.now() + 60_000) }),
    await ruleWith({ silenced_until: new Date(Date.now() - 1_000), cooldown_seconds: 1 }),
  ];
  const { rules, webhooks } = await createRulesReader(db.database).find({
    ruleIds: ids,
    webhookIds: [limited],
  });
  expect(ids.map((id) => rules.get(id))).toMatchObject([
    { silenced: true, hasCooldown: false },
    { silenced: false, hasCooldown: true },
  ]);
  expect(webhooks.get(limited)).toMatchObject({ mustWait: true });
});
