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
  testsPerMinute: 100_000,
  webhooksPerWorkspace: 1_000,
};

const started: TestApi[] = [];
async function start(limits: Partial<typeof plenty>, options: StartOptions = {}): Promise<TestApi> {
  const api = await startApi({ ...options, config: { limits: { ...plenty, ...limits } } });
  started.push(api);
  return api;
}
afterEach(() => Promise.all(started.splice(0).map((api) => api.close())));

/** As clients do: on a busy machine a connection may not be had in time, which is 503 and safe to repeat. */
async function untilServed<T extends { status: number }>(call: () => Promise<T>): Promise<T> {
  return until('it is served', async () => {
    const answer = await call();
    return answer.status !== 503 && answer;
  });
}

const countBy = (statuses: number[]) =>
  Object.fromEntries(
    [...new Set(statuses)].sort().map((status) => [status, statuses.filter((s) => s === status).length]),
  );

test('a workspace holds so many webhooks and not one more, however many are created at once', async () => {
  const api = await start({ webhooksPerWorkspace: 10 });
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => untilServed(() => api.call('POST', webhooks, { body: fields }))),
  );
  expect(countBy(answers.map(({ status }) => status))).toEqual({ 201: 10, 409: 20 });
  expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({
    code: 'conflict',
    detail: expect.stringContaining('10'),
  });

  // Another workspace has a count of its own, and a deletion makes room.
  const other = await api.call('POST', `/api/v1/workspaces/${otherWorkspaceId}/webhooks`, {
    as: 'outsider',
    body: fields,
  });
  expect(other.status).toBe(201);
  const [first] = (await api.call<Webhook[]>('GET', webhooks)).body;
  await api.call('DELETE', `/api/v1/webhooks/${first?.id}`);
  expect((await api.call('POST', webhooks, { body: fields })).status).toBe(201);
});

test('one principal may ask so often in a minute, and another is not held up by it', async () => {
  const api = await start({ requestsPerMinute: 5 });
  const answers = [];
  for (let count = 0; count < 7; count += 1) answers.push(await api.call('GET', webhooks));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429, 429]);
  const refused = answers[5]!;
  expect(refused.body.code).toBe('too_many_requests');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect((await api.call('GET', webhooks, { as: 'reader' })).status).toBe(200);
});

test('a workspace may probe so often in a minute, counted for both kinds of test and for whoever tests', async () => {
  const destination = await startHttpReceiver();
  try {
    const api = await start({ testsPerMinute: 2 });
    const url = destination.url('/probe');
    const { body } = await api.call<Webhook>('POST', webhooks, { body: { ...fields, url } });
    const probe = { url, body: '{}' };
    // What is refused for its form is not counted.
    expect((await api.call('POST', `${webhooks}/test`, { body: { url: 'x', body: '' } })).status).toBe(422);
    expect((await api.call('POST', `${webhooks}/test`, { body: probe })).status).toBe(200);
    expect((await api.call('POST', `/api/v1/webhooks/${body.id}/test`)).status).toBe(200);
    const refused = await api.call('POST', `${webhooks}/test`, { as: 'admin', body: probe });
    expect([refused.status, Number(refused.headers.get('retry-after')) >= 1]).toEqual([429, true]);
    expect((await api.call('POST', `/api/v1/webhooks/${body.id}/test`)).status).toBe(429);
    expect(destination.at('/probe').length).toBe(2);

    const elsewhere = `/api/v1/workspaces/${otherWorkspaceId}/webhooks/test`;
    expect((await api.call('POST', elsewhere, { as: 'outsider', body: probe })).status).toBe(200);
  } finally {
    await destination.close();
  }
});

test('a smaller limit of bytes is a setting', async () => {
  const api = await start({ requestBytes: 2_048 });
  const { status, body } = await api.call('POST', webhooks, { body: { ...fields, name: 'x'.repeat(2_048) } });
  expect([status, body.code]).toEqual([413, 'payload_too_large']);
});

/** Within its steps, and not within its time: three to four times as long as that. */
const dear =
  '[{% set n = 9 ** 1250 %}{% set m = 7 ** 700 %}{% for i in range(30000) %}{% set rest = n % m %}{% endfor %}1]';

test('templates that take long use up their workspace’s time, and nobody else’s', async () => {
  const api = await start({});
  const cheap = '{"a": "{{ alert_rule_name }}"}';
  const preview = (body: string) => api.call('POST', `${webhooks}/preview`, { body: { body } });
  const answers = await Promise.all(Array.from({ length: 20 }, () => preview(dear)));
  expect(countBy(answers.map(({ status }) => status))).toEqual({
    200: expect.any(Number),
    429: expect.any(Number),
  });
  const refused = answers.find(({ status }) => status === 429);
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  // Saving renders too, by whichever principal of the workspace. Little may be owed, and be paid for before it is tried.
  const save = { as: 'admin', body: { ...fields, body: cheap } } as const;
  let status = 0;
  for (let tries = 0; tries < 50 && status !== 429; tries += 1) {
    await preview(dear);
    ({ status } = await api.call('POST', webhooks, save));
  }
  expect(status).toBe(429);
  const elsewhere = `/api/v1/workspaces/${otherWorkspaceId}/webhooks/preview`;
  expect((await api.call('POST', elsewhere, { as: 'outsider', body: { body: cheap } })).status).toBe(200);
});

test('a body that cannot be checked in time is no fault of the caller’s', async () => {
  const api = await start({});
  const { status, body, headers } = await api.call('POST', webhooks, { body: { ...fields, body: dear } });
  expect([status, body.code, headers.has('retry-after')]).toEqual([503, 'unavailable', true]);
});

test('searches that take long leave connections to those who look something up', async () => {
  const api = await start({});
  const rule = { name: 'R', model_id: randomUUID(), threshold: 1, bound: 'upper_bound' };
  const rules = `/api/v1/workspaces/${workspaceId}/alert_rules`;
  const { body: created } = await api.call<AlertRule>('POST', rules, { body: rule });
  const alert = { alert_rule_id: created.id, model_id: rule.model_id, model_name: 'M', metric_value: 2 };
  const publish = () =>
    api.call('POST', `/api/v1/workspaces/${workspaceId}/alerts`, { as: 'publisher', body: alert });
  const list = (workspace: string, as: Role) =>
    api.call('GET', `/api/v1/workspaces/${workspace}/deliveries`, { as });

  // Whoever searches waits for the table until the search's own time limit.
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

  const refused = (await Promise.all(searches)).filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.every(({ headers }) => headers.has('retry-after'))).toBe(true);
  await Promise.all(others);
  // The places are free again, for one workspace as for the other.
  expect((await list(workspaceId, 'editor')).status).toBe(200);
  expect((await list(otherWorkspaceId, 'outsider')).status).toBe(200);
});

/** Resolves once so many statements wait for a lock. */
async function waitingForLocks({ knex }: TestApi['database'], count: number): Promise<void> {
  const ofThisDatabase = 'database = (select oid from pg_database where datname = current_database())';
  const waiting = async () =>
    Number(
      (await knex.raw(`select count(*) from pg_locks where not granted and ${ofThisDatabase}`)).rows[0].count,
    );
  while ((await waiting()) < count) await new Promise((resolve) => setTimeout(resolve, 20));
}
