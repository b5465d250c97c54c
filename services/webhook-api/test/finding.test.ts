import { randomUUID } from 'node:crypto';
import type { Alert, AlertRule, Delivery } from '@tocsin/contracts';
import { type DeliveryFixture, insertAlertRule, insertWebhook } from '@tocsin/testing/database';
import { otherWorkspaceId, type Problem, useApi, workspaceId } from './support/api.js';
import { seedAlert, seedDelivery } from './support/history.js';
import { nextOf, readAll } from './support/paging.js';

const workspace = `/api/v1/workspaces/${workspaceId}`;
const anHourMs = 3_600_000;
const dayMs = 24 * anHourMs;

const api = useApi();

const ago = (ms: number) => new Date(Date.now() - ms).toISOString();

type Pairs = Record<string, string | string[]>;

function pathOf(list: string, query: Pairs): string {
  const pairs = Object.entries(query).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  );
  return `${workspace}/${list}?${new URLSearchParams(pairs)}`;
}

const get = <Body>(list: string, query: Pairs) =>
  api.call<Body>('GET', pathOf(list, query), { as: 'reader' });

/** Inserts an alert with one delivery, and returns both ids. */
async function seedBoth(fixture: DeliveryFixture) {
  const alert = { alertId: randomUUID(), acceptedAtMs: Date.now() - 60_000, ...fixture };
  await seedAlert(api.database, alert);
  return { alertId: alert.alertId, deliveryId: await seedDelivery(api.database, alert) };
}

async function found(query: Pairs) {
  const asked = { since: ago(anHourMs), ...query };
  const alerts = await get<Alert[]>('alerts', asked);
  const deliveries = await get<Delivery[]>('deliveries', asked);
  return {
    alerts: alerts.body.map(({ alert_id }) => alert_id),
    deliveries: deliveries.body.map(({ id }) => id),
  };
}

describe('labels', () => {
  test.each([
    ['team', 'risk'],
    ['url', 'https://a.example:8443/x?y=1&z=%20#f'],
    ['percent', '100 % + 5 %zz'],
    ['text', '中文 😀 ñ \u2028'],
    ['quotes', '"\\\'{}[]$1?'],
    ['empty', ''],
    ['lines', 'a\nb\tc'],
    ['__proto__', 'x'],
    ['a.b-c_d', ':'],
    ['long', '\u{1f600}'.repeat(256)],
  ])('alerts and deliveries are found by the label %s with the value %j', async (name, value) => {
    const own = await seedBoth({ labels: Object.fromEntries([[name, value]]) });
    await seedBoth({ labels: Object.fromEntries([[name, `${[...value].slice(0, -1).join('')}~`]]) });
    await seedBoth({ labels: { [`${name.slice(0, 60)}_`]: value } });
    expect(await found({ label: `${name}:${value}` })).toEqual({
      alerts: [own.alertId],
      deliveries: [own.deliveryId],
    });
  });

  test('a filter with several labels finds alerts and deliveries that have all of them', async () => {
    const both = await seedBoth({ labels: { a: '1', b: '2', c: '3' } });
    await seedBoth({ labels: { a: '1', b: '3' } });
    expect(await found({ label: ['a:1', 'b:2'] })).toEqual({
      alerts: [both.alertId],
      deliveries: [both.deliveryId],
    });
    expect(await found({ label: ['a:1', 'a:2'] })).toEqual({ alerts: [], deliveries: [] });
  });

  test('a filter by label finds alerts without deliveries, and no alerts of other workspaces', async () => {
    const labels = { only: randomUUID() };
    const alertId = await seedAlert(api.database, { labels, outcome: 'no_webhooks' });
    await seedBoth({ labels, workspaceId: otherWorkspaceId });
    expect(await found({ label: `only:${labels.only}` })).toEqual({ alerts: [alertId], deliveries: [] });
  });

  test.each([
    ['label=team', 'label/0'],
    ['label=', 'label/0'],
    ['label=:risk', 'label/0'],
    ['label=te%20am:risk', 'label/0'],
    ['label=team:a%00b', 'label/0'],
    [`label=team:${'x'.repeat(257)}`, 'label/0'],
    [Array.from({ length: 21 }, (_, n) => `label=l${n}:x`).join('&'), 'label'],
    ['model_id=1', 'model_id'],
  ])('the invalid filter %.40s is rejected with an error that names the parameter', async (query, path) => {
    for (const list of ['alerts', 'deliveries']) {
      const { status, body } = await api.call('GET', `${workspace}/${list}?since=${ago(anHourMs)}&${query}`);
      expect([status, body.errors?.[0]?.path]).toEqual([422, path]);
    }
  });
});

test('alerts with a label are listed newest first, and a limit keeps the newest', async () => {
  const labels = { batch: randomUUID() };
  // All alerts have the same model and rule. With random ids of models and rules, an index on these columns could list
  // the newest alert first by chance.
  const equal = { labels, modelId: randomUUID(), alertRuleId: randomUUID() };
  const ids: string[] = [];
  const newestMs = Date.now() - 30_000;
  for (const age of [2, 4, 3, 1, 0])
    ids[age] = (await seedBoth({ ...equal, acceptedAtMs: newestMs - age })).alertId;
  const query = { label: `batch:${labels.batch}` };
  expect((await found(query)).alerts).toEqual(ids);
  expect((await found({ ...query, limit: '1' })).alerts).toEqual(ids.slice(0, 1));
});

test('deliveries are found by error code and by model', async () => {
  const modelId = randomUUID();
  const own = await seedBoth({ modelId, errorCode: 'tls_failure' });
  const open = await seedBoth({ modelId, status: 'open', errorCode: 'tls_failure' });
  const other = await seedBoth({ modelId, errorCode: 'timeout' });
  const deliveries = async (query: Pairs) => (await found({ model_id: modelId, ...query })).deliveries.sort();
  expect(await deliveries({})).toEqual([own.deliveryId, open.deliveryId, other.deliveryId].sort());
  expect(
    (await get<Delivery[]>('deliveries', { error_code: 'tls_failure', since: ago(anHourMs) })).body,
  ).toHaveLength(2);
  const both = { since: ago(anHourMs), model_id: modelId, error_code: 'tls_failure', status: 'waiting' };
  expect((await get<Delivery[]>('deliveries', both)).body.map(({ id }) => id)).toEqual([open.deliveryId]);
});

describe('the start time of a search', () => {
  const searches: [string, Pairs][] = [
    ['alerts', { label: 'a:1' }],
    ['alerts', { model_id: randomUUID() }],
    ['deliveries', { label: 'a:1' }],
    ['deliveries', { model_id: randomUUID() }],
    ['deliveries', { error_code: 'timeout' }],
  ];

  test.each(searches)('a search of %s by %j requires `since` within 31 days', async (list, query) => {
    for (const time of [undefined, ago(32 * dayMs)]) {
      const { status, body } = await get<Problem>(list, {
        ...query,
        ...(time !== undefined && { since: time }),
      });
      const name = Object.keys(query)[0];
      const message = `must be given with ${name}, as a time of the last 31 days`;
      expect([status, body.errors]).toEqual([422, [{ path: 'since', message }]]);
    }
    expect((await get(list, { ...query, since: ago(31 * dayMs) })).status).toBe(200);
  });

  test('a search without label, model or error code requires no `since`', async () => {
    expect((await get('deliveries', { status: 'failed' })).status).toBe(200);
    expect((await get('alerts', { outcome: 'suppressed' })).status).toBe(200);
  });
});

test('the link to the next page of a search contains every filter', async () => {
  const [modelId, value] = [randomUUID(), 'a&b=c %:ü'];
  const ids = new Set<string>();
  for (let count = 0; count < 3; count += 1)
    ids.add((await seedBoth({ modelId, labels: { x: value, y: '2' }, errorCode: 'timeout' })).deliveryId);
  await seedBoth({ modelId, labels: { x: value, y: '2' }, errorCode: 'expired' });
  await seedBoth({ modelId, labels: { x: value, y: '3' }, errorCode: 'timeout' });
  const query = {
    label: [`x:${value}`, 'y:2'],
    model_id: modelId,
    error_code: 'timeout',
    since: ago(anHourMs),
  };
  const path = pathOf('deliveries', { ...query, limit: '1', count: 'true' });
  const { entries, pages } = await readAll<Delivery>(api, path);
  expect([new Set(entries.map(({ id }) => id)), pages]).toEqual([ids, 3]);
  const first = await api.call('GET', path);
  const next = new URL(nextOf(first.headers)!, api.url).searchParams;
  expect(next.getAll('label').sort()).toEqual([...query.label].sort());
  const second = await api.call('GET', `${workspace}/deliveries?${next}`);
  expect(second.headers.get('x-total-count')).toBe('3');
  next.set('label', 'y:2');
  expect((await api.call('GET', `${workspace}/deliveries?${next}`)).status).toBe(422);
});

test('alert rules are found by a webhook that they call', async () => {
  const webhookId = await insertWebhook(api.database, { workspaceId });
  const other = await insertWebhook(api.database, { workspaceId });
  const ids = [
    await insertAlertRule(api.database, { workspaceId, webhookIds: [webhookId] }),
    await insertAlertRule(api.database, { workspaceId, webhookIds: [other, webhookId] }),
  ];
  await insertAlertRule(api.database, { workspaceId, webhookIds: [other] });
  const idsOf = async (query: Pairs) =>
    (await get<AlertRule[]>('alert_rules', { webhook_id: webhookId, ...query })).body.map(({ id }) => id);
  expect((await idsOf({})).sort()).toEqual(ids.sort());
  const { entries } = await readAll<AlertRule>(
    api,
    pathOf('alert_rules', { webhook_id: webhookId, limit: '1' }),
  );
  expect(entries.map(({ id }) => id)).toEqual(ids.sort());
  const total = (await get('alert_rules', { webhook_id: webhookId, count: 'true' })).headers.get(
    'x-total-count',
  );
  expect(total).toBe('2');
  expect(await idsOf({ webhook_id: randomUUID() })).toEqual([]);
  await api.database.knex('alert_rules').where({ id: ids[0] }).update({ external_id: 'combined' });
  expect(await idsOf({ external_id: 'combined' })).toEqual([ids[0]]);
  expect(await idsOf({ external_id: 'combined', webhook_id: randomUUID() })).toEqual([]);
});
