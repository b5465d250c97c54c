import { randomUUID } from 'node:crypto';
import type { Alert } from '@tocsin/contracts';
import { publisherId } from '@tocsin/deliveries';
import { createAlertsReader } from '../src/alerts/alerts-reader.js';
import { otherWorkspaceId, useApi, workspaceId } from './support/api.js';
import { seedAlert, seedDelivery } from './support/history.js';
import { readAll } from './support/paging.js';

const alerts = `/api/v1/workspaces/${workspaceId}/alerts`;

const api = useApi();

test('a dispatched alert has no outcome reason', async () => {
  const alertId = await seedAlert(api.database);
  const { status, body } = await api.call<Alert>('GET', `${alerts}/${alertId.toUpperCase()}`, {
    as: 'reader',
  });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    alert_id: alertId,
    workspace_id: workspaceId,
    fired_at: '2025-01-31T12:00:00.123456Z',
    metric_value: 0.5,
    threshold: 0.4,
    outcome: 'dispatched',
    outcome_reason: null,
  });
  expect(Math.abs(Date.parse(body.accepted_at) - Date.now())).toBeLessThan(120_000);
});

test.each([
  ['rule_disabled', 'disabled'],
  ['rule_deleted', 'deleted'],
  ['no_webhooks', 'no webhook'],
  ['over_quota', 'too many open deliveries'],
])('an alert with the outcome %s has an outcome reason', async (outcome, word) => {
  const alertId = await seedAlert(api.database, { outcome });
  const { body } = await api.call<Alert>('GET', `${alerts}/${alertId}`);
  expect(body.outcome).toBe(outcome);
  expect(body.outcome_reason).toContain(word);
  const listed = await api.call<Alert[]>('GET', `${alerts}?outcome=${outcome}`);
  expect(listed.body.map((alert) => alert.alert_id)).toEqual([alertId]);
});

test('an alert is found only in its workspace', async () => {
  const elsewhere = await seedAlert(api.database, { workspaceId: otherWorkspaceId });
  expect((await api.call('GET', `${alerts}/${elsewhere}`)).status).toBe(404);
  const missing = await api.call('GET', `${alerts}/${randomUUID()}`);
  expect([missing.status, missing.body.code, missing.headers.get('retry-after')]).toEqual([
    404,
    'alert_not_processed',
    '1',
  ]);
  expect(missing.body.detail).toContain('not processed yet, or unknown');
  expect((await api.call('GET', `${alerts}/not-a-uuid`)).status).toBe(422);
  expect((await api.call('GET', `${alerts}/${elsewhere}`, { as: 'outsider' })).status).toBe(403);
  const listed = await api.call<Alert[]>('GET', `${alerts}?limit=1000`);
  expect(listed.body.map((alert) => alert.alert_id)).not.toContain(elsewhere);
});

test('alerts are listed newest first, in pages, and filtered by rule and time', async () => {
  const alertRuleId = randomUUID();
  const start = Date.now() - 30_000;
  const ids = await Promise.all(
    Array.from({ length: 7 }, (_, index) =>
      seedAlert(api.database, { alertRuleId, acceptedAtMs: start + index * 1_000 }),
    ),
  );
  const { entries, pages } = await readAll<Alert>(api, `${alerts}?alert_rule_id=${alertRuleId}&limit=3`, {
    betweenPages: () => seedAlert(api.database, { alertRuleId, acceptedAtMs: Date.now() }),
  });
  expect(entries.map((alert) => alert.alert_id)).toEqual([...ids].reverse());
  expect(pages).toBe(3);
  const since = new Date(start + 2_000).toISOString();
  const until = new Date(start + 4_000).toISOString();
  const within = await api.call<Alert[]>(
    'GET',
    `${alerts}?alert_rule_id=${alertRuleId}&since=${since}&until=${until}`,
  );
  expect(within.body.map((alert) => alert.alert_id)).toEqual([ids[3], ids[2]]);
});

// A search that begins within the last day uses another SQL statement than other searches, so both are tested.
const times = [
  ['hour', 3_600_000],
  ['two days', 172_800_000],
] as const;

test.each(times)('a search of the last %s finds only alerts that match all filters', async (_, ms) => {
  const wanted = { alertRuleId: randomUUID(), modelId: randomUUID(), outcome: 'no_webhooks' };
  const alertId = await seedAlert(api.database, wanted);
  const others = [
    { alertRuleId: randomUUID() },
    { modelId: randomUUID() },
    { outcome: 'rule_disabled' },
    { workspaceId: otherWorkspaceId },
    { acceptedAtMs: Date.now() - ms - 60_000 },
    { acceptedAtMs: Date.now() },
  ];
  for (const other of others) await seedAlert(api.database, { ...wanted, ...other });
  const query = new URLSearchParams({
    alert_rule_id: wanted.alertRuleId,
    model_id: wanted.modelId,
    outcome: wanted.outcome,
    since: new Date(Date.now() - ms).toISOString(),
    until: new Date(Date.now() - 30_000).toISOString(),
  });
  const { body } = await api.call<Alert[]>('GET', `${alerts}?${query}`);
  expect(body.map((alert) => alert.alert_id)).toEqual([alertId]);
  // For a page with one entry, the API reads two, to find out whether more follow. Three alerts match, so a statement
  // without an order could omit the newest, which is inserted last.
  await seedAlert(api.database, { ...wanted, acceptedAtMs: Date.now() - 50_000 });
  const newest = await seedAlert(api.database, { ...wanted, acceptedAtMs: Date.now() - 40_000 });
  const { body: first } = await api.call<Alert[]>('GET', `${alerts}?${query}&limit=1`);
  expect(first.map((alert) => alert.alert_id)).toEqual([newest]);
});

test.each(times)('a publisher finds only its own alerts of the last %s', async (_, ms) => {
  const alertRuleId = randomUUID();
  const [own] = [
    await seedAlert(api.database, { alertRuleId }),
    await seedAlert(api.database, { alertRuleId }),
  ];
  const { body: me } = await api.call<{ issuer: string; subject: string }>('GET', '/api/v1/whoami', {
    as: 'publisher',
  });
  const publishedBy = publisherId(`${me.issuer}#${me.subject}`);
  await api.database.knex('alerts').where({ alert_id: own }).update({ published_by: publishedBy });
  const since = new Date(Date.now() - ms).toISOString();
  const { body } = await api.call<Alert[]>('GET', `${alerts}?alert_rule_id=${alertRuleId}&since=${since}`, {
    as: 'publisher',
  });
  expect(body.map((alert) => alert.alert_id)).toEqual([own]);
});

test('a page of alerts ends early at 4 MiB of labels or annotations, and the next page continues', async () => {
  const alertRuleId = randomUUID();
  const labels = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [`label_${index}`, '界'.repeat(256)]),
  );
  const start = Date.now() - 30_000;
  const seed = (index: number) =>
    seedAlert(api.database, { alertRuleId, labels, acceptedAtMs: start + index });
  const ids = await Promise.all(Array.from({ length: 300 }, (_, index) => seed(index)));
  const { entries, pages } = await readAll<Alert>(api, `${alerts}?alert_rule_id=${alertRuleId}&limit=1000`);
  expect(entries.map((alert) => alert.alert_id)).toEqual([...ids].reverse());
  expect(entries[0]?.labels).toEqual(labels);
  expect(pages).toBe(2);
  await api.database.knex.raw(
    'update alerts set annotations = labels, labels = null where alert_rule_id = ?',
    [alertRuleId],
  );
  const annotated = await readAll<Alert>(api, `${alerts}?alert_rule_id=${alertRuleId}&limit=1000`);
  expect([annotated.entries.length, annotated.pages]).toEqual([300, 2]);
});

test.each(['outcome=lost', 'limit=0', 'cursor=x', 'since=now', 'alert_rule_id=%27', 'name=x'])(
  'the alert query %s is rejected',
  async (query) => {
    expect((await api.call('GET', `${alerts}?${query}`)).status).toBe(422);
  },
);

test('the deliveries of each alert of a page are counted by state', async () => {
  const acceptedAtMs = Date.now() - 60_000;
  const modelId = randomUUID();
  const ids = [randomUUID(), randomUUID(), randomUUID()];
  for (const alertId of ids)
    await seedAlert(api.database, { alertId, acceptedAtMs, modelId, labels: { page: 'x' } });
  const [mixed, failed, none] = ids;
  for (const status of ['succeeded', 'succeeded', 'failed', 'skipped', 'open'] as const)
    await seedDelivery(api.database, { alertId: mixed!, acceptedAtMs, status });
  await seedDelivery(api.database, { alertId: failed!, acceptedAtMs });
  const since = new Date(Date.now() - 3_600_000).toISOString();
  const { body } = await api.call<Alert[]>('GET', `${alerts}?model_id=${modelId}&since=${since}`);
  expect(new Map(body.map(({ alert_id, summary }) => [alert_id, summary]))).toEqual(
    new Map([
      [mixed, { succeeded: 2, failed: 1, skipped: 1, open: 1 }],
      [failed, { succeeded: 0, failed: 1, skipped: 0, open: 0 }],
      [none, { succeeded: 0, failed: 0, skipped: 0, open: 0 }],
    ]),
  );
  for (const alert of body)
    expect((await api.call<Alert>('GET', `${alerts}/${alert.alert_id}`)).body).toEqual(alert);
});

test('a page of alerts is read with the same number of statements as a single alert', async () => {
  const statements: string[] = [];
  const listen = ({ sql }: { sql: string }) => statements.push(sql);
  const reader = createAlertsReader(api.database);
  const modelId = randomUUID();
  const countOf = async (limit: number) => {
    statements.length = 0;
    const range = {
      from: '00000000-0000-0000-0000-000000000000',
      below: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
    };
    await reader.list({ workspaceId, filter: { model_id: modelId }, range, limit });
    return statements.length;
  };
  for (let index = 0; index < 20; index += 1) {
    const alert = { alertId: randomUUID(), modelId, acceptedAtMs: Date.now() - index * 1_000 };
    await seedAlert(api.database, alert);
    await seedDelivery(api.database, alert);
  }
  api.database.knex.on('query', listen);
  expect(await countOf(20)).toBe(await countOf(1));
  api.database.knex.off('query', listen);
});
