import { randomUUID } from 'node:crypto';
import type { AlertRule, Webhook } from '@tocsin/contracts';
import { startHttpReceiver, until } from '@tocsin/testing';
import { otherWorkspaceId, type StartOptions, startApi, type TestApi, workspaceId } from './support/api.js';
import type { Role } from './support/tokens.js';

const webhooks = `/api/v1/workspaces/${workspaceId}/webhooks`;
const fields = { name: 'Hook', url: 'http://127.0.0.1:9/', body: '{}' };
const plenty = {
  requestBytes: 1_048_576,
  requestsPerMinute: 100_000,
  alertsPerMinute: 100_000,
  workspaceRequestsPerMinute: 100_000,
  workspaceAlertsPerMinute: 100_000,
  testsPerMinute: 100_000,
  webhooksPerWorkspace: 1_000,
  alertRulesPerWorkspace: 10_000,
  openDeliveries: { perWebhook: 100_000, perWorkspace: 1_000_000 },
};

const started: TestApi[] = [];
async function start(limits: Partial<typeof plenty>, options: StartOptions = {}): Promise<TestApi> {
  const api = await startApi({ ...options, config: { limits: { ...plenty, ...limits } } });
  started.push(api);
  return api;
}
afterEach(() => Promise.all(started.splice(0).map((api) => api.close())));

/**
 * Repeats a request while it gets 503, as clients should. On a busy machine, the wait for a database connection can
 * time out.
 */
async function untilServed<T extends { status: number }>(call: () => Promise<T>): Promise<T> {
  return until('it is served', async () => {
    const response = await call();
    return response.status !== 503 && response;
  });
}

const countBy = (statuses: number[]) =>
  Object.fromEntries(
    [...new Set(statuses)].sort().map((status) => [status, statuses.filter((s) => s === status).length]),
  );

test('concurrent requests cannot exceed the limit on webhooks of a workspace', async () => {
  const api = await start({ webhooksPerWorkspace: 10 });
  const responses = await Promise.all(
    Array.from({ length: 30 }, () => untilServed(() => api.call('POST', webhooks, { body: fields }))),
  );
  expect(countBy(responses.map(({ status }) => status))).toEqual({ 201: 10, 409: 20 });
  expect(responses.find(({ status }) => status === 409)?.body).toMatchObject({
    code: 'conflict',
    detail: expect.stringContaining('10'),
  });

  // Each workspace has its own limit of webhooks, and deleted webhooks do not count towards it.
  const other = await api.call('POST', `/api/v1/workspaces/${otherWorkspaceId}/webhooks`, {
    as: 'outsider',
    body: fields,
  });
  expect(other.status).toBe(201);
  const [first] = (await api.call<Webhook[]>('GET', webhooks)).body;
  await api.call('DELETE', `/api/v1/webhooks/${first?.id}`);
  expect((await api.call('POST', webhooks, { body: fields })).status).toBe(201);
});

test('the rate limit of a workspace counts requests from all principals together', async () => {
  const api = await start({ workspaceRequestsPerMinute: 5 });
  const rules = `/api/v1/workspaces/${workspaceId}/alert_rules`;
  const statusOf = async (path: string, as: Role) => (await api.call('GET', path, { as })).status;
  const created = await api.call<Webhook>('POST', webhooks, { body: fields });
  for (const [path, as] of [
    [webhooks, 'reader'],
    [rules, 'reader'],
    [`/api/v1/webhooks/${created.body.id}`, 'editor'],
    [webhooks, 'admin'],
  ] as const)
    expect([path, await statusOf(path, as)]).toEqual([path, 200]);

  const rejected = await api.call('GET', `/api/v1/webhooks/${created.body.id}`, { as: 'editor' });
  expect([rejected.status, Number(rejected.headers.get('retry-after')) > 0]).toEqual([429, true]);
  expect(await statusOf(rules, 'admin')).toBe(429);
  expect(await statusOf(`/api/v1/workspaces/${otherWorkspaceId}/webhooks`, 'outsider')).toBe(200);
  expect(await statusOf('/api/v1/whoami', 'editor')).toBe(200);
});

test('a caller without a role does not use up the rate limit of a workspace', async () => {
  const api = await start({ workspaceRequestsPerMinute: 2 });
  for (let count = 0; count < 5; count += 1)
    expect((await api.call('GET', webhooks, { as: 'outsider' })).status).toBe(403);
  expect((await api.call('GET', webhooks, { as: 'reader' })).status).toBe(200);
});

test('alerts published to a workspace have a rate limit separate from other requests', async () => {
  const api = await start({ workspaceRequestsPerMinute: 1, workspaceAlertsPerMinute: 2 });
  const publish = async (as: Role) =>
    (await api.call('POST', `/api/v1/workspaces/${workspaceId}/alerts`, { as, body: {} })).status;
  expect([await publish('publisher'), await publish('admin'), await publish('publisher')]).toEqual([
    422, 422, 429,
  ]);
  expect((await api.call('GET', webhooks)).status).toBe(200);
});

test('alerts published by a principal have a rate limit separate from its other requests', async () => {
  const api = await start({ requestsPerMinute: 1, alertsPerMinute: 2 });
  const publish = async (as: Role) =>
    (await api.call('POST', `/api/v1/workspaces/${workspaceId}/alerts`, { as, body: {} })).status;
  const statuses = [await publish('publisher'), await publish('publisher'), await publish('publisher')];
  expect([...statuses, await publish('admin')]).toEqual([422, 422, 429, 422]);
  expect((await api.call('GET', '/api/v1/whoami', { as: 'publisher' })).status).toBe(200);
});

test('concurrent requests cannot exceed the limit on alert rules of a workspace', async () => {
  const api = await start({ alertRulesPerWorkspace: 10 });
  const rules = `/api/v1/workspaces/${workspaceId}/alert_rules`;
  const body = { name: 'R', model_id: randomUUID(), threshold: 1, bound: 'upper_bound' };
  const create = () => untilServed(() => api.call('POST', rules, { body }));
  const responses = await Promise.all(Array.from({ length: 30 }, create));
  expect(countBy(responses.map(({ status }) => status))).toEqual({ 201: 10, 409: 20 });
  expect(responses.find(({ status }) => status === 409)?.body).toMatchObject({
    code: 'conflict',
    detail: expect.stringContaining('10 alert rules'),
  });

  const elsewhere = `/api/v1/workspaces/${otherWorkspaceId}/alert_rules`;
  expect((await api.call('POST', elsewhere, { as: 'outsider', body })).status).toBe(201);
  const [first] = (await api.call<AlertRule[]>('GET', rules)).body;
  await api.call('PATCH', `/api/v1/alert_rules/${first?.id}`, { body: { name: 'Renamed' } });
  expect((await create()).status).toBe(409);
  await api.call('DELETE', `/api/v1/alert_rules/${first?.id}`);
  expect((await create()).status).toBe(201);
});

test('a principal above its rate limit is rejected, and another principal is not', async () => {
  const api = await start({ requestsPerMinute: 5 });
  const responses = [];
  for (let count = 0; count < 7; count += 1) responses.push(await api.call('GET', webhooks));
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429, 429]);
  const rejected = responses[5]!;
  expect(rejected.body.code).toBe('too_many_requests');
  expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect((await api.call('GET', webhooks, { as: 'reader' })).status).toBe(200);
});

test('the test limit of a workspace counts destination tests and webhook tests by all principals', async () => {
  const destination = await startHttpReceiver();
  try {
    const api = await start({ testsPerMinute: 2 });
    const url = destination.url('/test-target');
    const { body } = await api.call<Webhook>('POST', webhooks, { body: { ...fields, url } });
    const request = { url, body: '{}' };
    // An invalid request does not count towards the limit.
    expect((await api.call('POST', `${webhooks}/test`, { body: { url: 'x', body: '' } })).status).toBe(422);
    expect((await api.call('POST', `${webhooks}/test`, { body: request })).status).toBe(200);
    expect((await api.call('POST', `/api/v1/webhooks/${body.id}/test`)).status).toBe(200);
    const rejected = await api.call('POST', `${webhooks}/test`, { as: 'admin', body: request });
    expect([rejected.status, Number(rejected.headers.get('retry-after')) >= 1]).toEqual([429, true]);
    expect((await api.call('POST', `/api/v1/webhooks/${body.id}/test`)).status).toBe(429);
    expect(destination.at('/test-target').length).toBe(2);

    const elsewhere = `/api/v1/workspaces/${otherWorkspaceId}/webhooks/test`;
    expect((await api.call('POST', elsewhere, { as: 'outsider', body: request })).status).toBe(200);
  } finally {
    await destination.close();
  }
});

test('the size limit of request bodies can be configured', async () => {
  const api = await start({ requestBytes: 2_048 });
  const { status, body } = await api.call('POST', webhooks, { body: { ...fields, name: 'x'.repeat(2_048) } });
  expect([status, body.code]).toEqual([413, 'payload_too_large']);
});

/**
 * Returns one of the slowest templates that can be saved. The service caches the result of the last check, so each
 * request needs a different `n`.
 */
const slow = (n: number) =>
  `[{% set n = 9 ** 1250 %}{% set m = 7 ** 700 %}{% for i in range(500) %}{% set rest = n % m %}{% endfor %}${n}]`;

test('slow templates use up only the template time budget of their own workspace', async () => {
  const api = await start({});
  const cheap = '{"a": "{{ alert_rule_name }}"}';
  const preview = (body: string) => api.call('POST', `${webhooks}/preview`, { body: { body } });
  let rejected = await preview(slow(0));
  expect(rejected.status).toBe(200);
  for (let tries = 0; tries < 1_000 && rejected.status !== 429; tries += 1)
    rejected = await preview(slow(tries));
  expect(rejected.status).toBe(429);
  expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  // The previews have used up the time budget of the workspace. Saving a webhook renders its template and needs the
  // same budget, whichever principal saves it. The request is repeated, because the budget recovers between requests.
  const save = { as: 'admin', body: { ...fields, body: cheap } } as const;
  let status = 0;
  for (let tries = 0; tries < 50 && status !== 429; tries += 1) {
    await preview(slow(tries));
    ({ status } = await api.call('POST', webhooks, save));
  }
  expect(status).toBe(429);
  const elsewhere = `/api/v1/workspaces/${otherWorkspaceId}/webhooks/preview`;
  expect((await api.call('POST', elsewhere, { as: 'outsider', body: { body: cheap } })).status).toBe(200);
});

test('long searches leave database connections for short reads', async () => {
  const api = await start({});
  const rule = { name: 'R', model_id: randomUUID(), threshold: 1, bound: 'upper_bound' };
  const rules = `/api/v1/workspaces/${workspaceId}/alert_rules`;
  const { body: created } = await api.call<AlertRule>('POST', rules, { body: rule });
  const alert = { alert_rule_id: created.id, model_id: rule.model_id, model_name: 'M', metric_value: 2 };
  const publish = () =>
    api.call('POST', `/api/v1/workspaces/${workspaceId}/alerts`, { as: 'publisher', body: alert });
  const list = (workspace: string, as: Role) =>
    api.call('GET', `/api/v1/workspaces/${workspace}/deliveries`, { as });

  // The table is locked, so each search waits and holds its permit until its statement times out.
  const lock = await api.database.knex.transaction();
  await lock.raw('lock table deliveries in access exclusive mode');
  const searches = Array.from({ length: 20 }, () => list(workspaceId, 'editor'));
  const others = [list(otherWorkspaceId, 'outsider')];
  try {
    await waitingForLocks(api.database, 3);
    for (let count = 0; count < 20; count += 1) expect((await untilServed(publish)).status).toBe(202);
    expect((await untilServed(() => api.call('GET', webhooks))).status).toBe(200);
  } finally {
    await Promise.all(searches);
    await lock.rollback();
  }

  const rejected = (await Promise.all(searches)).filter(({ status }) => status === 429);
  expect(rejected.length).toBeGreaterThan(0);
  expect(rejected.every(({ headers }) => headers.has('retry-after'))).toBe(true);
  await Promise.all(others);
  // The permits of both workspaces are free again.
  expect((await list(workspaceId, 'editor')).status).toBe(200);
  expect((await list(otherWorkspaceId, 'outsider')).status).toBe(200);
});

/** Waits until `count` statements wait for a lock. */
async function waitingForLocks({ knex }: TestApi['database'], count: number): Promise<void> {
  const ofThisDatabase = 'database = (select oid from pg_database where datname = current_database())';
  const waiting = async () =>
    Number(
      (await knex.raw(`select count(*) from pg_locks where not granted and ${ofThisDatabase}`)).rows[0].count,
    );
  while ((await waiting()) < count) await new Promise((resolve) => setTimeout(resolve, 20));
}
