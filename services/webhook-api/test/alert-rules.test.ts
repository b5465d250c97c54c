import { randomUUID } from 'node:crypto';
import type { AlertRule, Webhook } from '@tocsin/contracts';
import { untilLockWaits } from '@tocsin/testing/database';
import { otherWorkspaceId, useApi, workspaceId } from './support/api.js';

const collection = `/api/v1/workspaces/${workspaceId}/alert_rules`;
const webhooks = `/api/v1/workspaces/${workspaceId}/webhooks`;
const fields = { name: 'Drift', model_id: randomUUID(), threshold: 0.25, bound: 'upper_bound' };

const api = useApi();

async function addWebhook(path = webhooks, as: 'editor' | 'outsider' = 'editor'): Promise<string> {
  const body = { name: 'Hook', url: 'http://127.0.0.1:9/', body: '{}' };
  return (await api.call<Webhook>('POST', path, { body, as })).body.id;
}

async function addRule(changes: object = {}): Promise<AlertRule> {
  const { status, body } = await api.call<AlertRule>('POST', collection, { body: { ...fields, ...changes } });
  expect(status).toBe(201);
  return body;
}

const ruleAt = (id: string) => `/api/v1/alert_rules/${id}`;
const read = (id: string) => api.call<AlertRule>('GET', ruleAt(id));

test('an alert rule is created with defaults, read, listed, changed and deleted', async () => {
  const { status, headers, body } = await api.call<AlertRule>('POST', collection, { body: fields });
  expect([status, headers.get('location')]).toEqual([201, ruleAt(body.id)]);
  expect(body).toEqual({
    ...fields,
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    workspace_id: workspaceId,
    external_id: null,
    enabled: true,
    cooldown_seconds: 0,
    silenced_until: null,
    notification_webhook_ids: [],
    created_at: expect.stringMatching(/Z$/),
    updated_at: body.created_at,
    last_updated_by: expect.stringMatching(/^http.+#.+/),
  });
  expect((await read(body.id)).body).toEqual(body);
  expect((await api.call<AlertRule[]>('GET', collection, { as: 'reader' })).body).toContainEqual(body);

  const change = { threshold: -1e-7, bound: 'lower_bound', enabled: false, name: 'Renamed' };
  const patched = await api.call<AlertRule>('PATCH', ruleAt(body.id), { as: 'admin', body: change });
  const { updated_at, last_updated_by } = patched.body;
  expect(patched.body).toEqual({ ...body, ...change, updated_at, last_updated_by });
  expect(last_updated_by).not.toBe(body.last_updated_by);

  expect((await api.call('DELETE', ruleAt(body.id))).status).toBe(204);
  expect((await read(body.id)).status).toBe(404);
  expect((await api.call('PATCH', ruleAt(body.id), { body: change })).status).toBe(404);
  expect((await api.call('DELETE', ruleAt(body.id))).status).toBe(404);
  expect((await api.call<AlertRule[]>('GET', collection)).body.map(({ id }) => id)).not.toContain(body.id);
});

test('the row of a deleted rule is kept, so that late alerts still find it', async () => {
  const { id } = await addRule({ notification_webhook_ids: [await addWebhook()] });
  await api.call('DELETE', ruleAt(id));
  const row = await api.database.knex('alert_rules').where({ id }).first('deleted_at');
  expect(row.deleted_at).toBeInstanceOf(Date);
  expect(await api.database.knex('alert_rule_webhooks').where({ alert_rule_id: id })).toEqual([]);
});

test('the webhooks of a rule keep their order, and duplicate ids are removed', async () => {
  const [a, b, c] = [await addWebhook(), await addWebhook(), await addWebhook()];
  const { id, notification_webhook_ids } = await addRule({
    notification_webhook_ids: [c, a, c.toUpperCase(), b, a],
  });
  expect(notification_webhook_ids).toEqual([c, a, b]);
  const patched = await api.call<AlertRule>('PATCH', ruleAt(id), {
    body: { notification_webhook_ids: [c, b] },
  });
  expect(patched.body.notification_webhook_ids).toEqual([c, b]);
  expect((await read(id)).body.notification_webhook_ids).toEqual([c, b]);
});

test('a rule with webhooks that are unknown or of another workspace is rejected with their ids', async () => {
  const known = await addWebhook();
  const foreign = await addWebhook(`/api/v1/workspaces/${otherWorkspaceId}/webhooks`, 'outsider');
  const unknown = randomUUID();
  const body = { ...fields, notification_webhook_ids: [known, foreign, unknown] };
  const before = (await api.call<AlertRule[]>('GET', collection)).body.length;
  const created = await api.call('POST', collection, { body });
  expect([created.status, created.body.errors?.[0]?.path]).toEqual([422, '/notification_webhook_ids']);
  expect(created.body.errors?.[0]?.message).toContain(`${foreign}, ${unknown}`);
  expect(created.body.errors?.[0]?.message).not.toContain(known);
  expect((await api.call<AlertRule[]>('GET', collection)).body.length).toBe(before);

  const rule = await addRule({ notification_webhook_ids: [known] });
  const patched = await api.call('PATCH', ruleAt(rule.id), {
    body: { name: 'No', notification_webhook_ids: [foreign] },
  });
  expect(patched.status).toBe(422);
  expect((await read(rule.id)).body).toEqual(rule);
});

test('an alert rule can have at most twenty different webhooks', async () => {
  const ids = await Promise.all(Array.from({ length: 21 }, () => addWebhook()));
  const twenty = ids.slice(0, 20);
  const rule = await addRule({ notification_webhook_ids: [...twenty, ...twenty] });
  expect(rule.notification_webhook_ids).toEqual(twenty);
  const { status, body } = await api.call('POST', collection, {
    body: { ...fields, notification_webhook_ids: ids },
  });
  expect([status, body.errors?.[0]?.message]).toEqual([422, expect.stringContaining('at most 20')]);
});

test('a webhook in use is deleted only with force; without it, the 409 names its rules', async () => {
  const [used, kept] = [await addWebhook(), await addWebhook()];
  const rule = await addRule({ name: 'Uses "it"', notification_webhook_ids: [used, kept] });
  const rejected = await api.call<{ detail: string; alert_rules: unknown }>(
    'DELETE',
    `/api/v1/webhooks/${used}`,
  );
  expect([rejected.status, rejected.body.alert_rules]).toEqual([409, [{ id: rule.id, name: rule.name }]]);
  expect(rejected.body.detail).toContain(rule.id);
  expect((await api.call('DELETE', `/api/v1/webhooks/${used}?force=false`)).status).toBe(409);
  expect((await read(rule.id)).body.notification_webhook_ids).toEqual([used, kept]);

  const other = await addRule({ notification_webhook_ids: [kept] });
  const versionOf = async (id: string) =>
    (await api.database.knex('alert_rules').where({ id }).first('version')).version;
  expect(await versionOf(rule.id)).toBe(1);
  const deleting = api.call('DELETE', `/api/v1/webhooks/${used}?force=true`, { as: 'admin' });
  expect((await deleting).status).toBe(204);
  const detached = (await read(rule.id)).body;
  expect(detached.notification_webhook_ids).toEqual([kept]);
  expect(Date.parse(detached.updated_at)).toBeGreaterThan(Date.parse(rule.updated_at));
  expect(detached.last_updated_by).not.toBe(rule.last_updated_by);
  expect([await versionOf(rule.id), await versionOf(other.id)]).toEqual([2, 1]);
  expect((await read(other.id)).body).toEqual(other);
});

test('a forced deletion locks rules in the order of their ids and never deadlocks with a worker', async () => {
  const webhookId = await addWebhook();
  const rules = [1, 2].map(() => addRule({ notification_webhook_ids: [webhookId] }));
  const [first = '', second = ''] = (await Promise.all(rules)).map(({ id }) => id).sort();
  // The changed row moves behind the other one, so that a scan of the table finds the rules in the opposite order.
  await api.database.knex('alert_rules').where({ id: first }).update({ name: 'Moved' });
  const worker = await api.database.knex.transaction();
  const lock = (id: string) => worker('alert_rules').select('id').where({ id }).forNoKeyUpdate();
  await lock(first);
  const deletion = api.call('DELETE', `/api/v1/webhooks/${webhookId}?force=true`);
  await untilLockWaits(api.database, { statement: 'alert_rules' });
  await lock(second);
  await worker.commit();
  expect((await deletion).status).toBe(204);
});

test('a rejected deletion of a webhook lists the rules that use it in the order of their names', async () => {
  const webhookId = await addWebhook();
  const names = ['c', 'a', 'b'];
  for (const name of names) await addRule({ name, notification_webhook_ids: [webhookId] });
  const { body } = await api.call<{ alert_rules: { name: string }[] }>(
    'DELETE',
    `/api/v1/webhooks/${webhookId}`,
  );
  expect(body.alert_rules.map(({ name }) => name)).toEqual(names.toSorted());
});

test('a webhook that only a deleted rule used can be deleted', async () => {
  const webhookId = await addWebhook();
  const rule = await addRule({ notification_webhook_ids: [webhookId] });
  await api.call('DELETE', ruleAt(rule.id));
  expect((await api.call('DELETE', `/api/v1/webhooks/${webhookId}`)).status).toBe(204);
});

test('if a webhook is concurrently added to a rule and deleted, the rule keeps no unknown id', async () => {
  for (let round = 0; round < 10; round += 1) {
    const ids = [await addWebhook(), await addWebhook(), await addWebhook()];
    const rule = await addRule({ notification_webhook_ids: ids });
    const responses = await Promise.all([
      api.call('PATCH', ruleAt(rule.id), { body: { notification_webhook_ids: [...ids].reverse() } }),
      api.call('DELETE', `/api/v1/webhooks/${ids[0]}?force=true`),
      api.call('PATCH', ruleAt(rule.id), { body: { notification_webhook_ids: ids.slice(0, 2) } }),
      api.call('DELETE', `/api/v1/webhooks/${ids[1]}?force=true`),
      api.call('POST', collection, { body: { ...fields, notification_webhook_ids: ids } }),
      api.call('DELETE', ruleAt(rule.id)),
    ]);
    for (const { status } of responses) expect([200, 201, 204, 404, 409, 422]).toContain(status);
    const dangling = await api.database.knex.raw(
      'select 1 from alert_rule_webhooks a left join webhooks w on w.id = a.webhook_id where w.id is null',
    );
    expect(dangling.rows).toEqual([]);
  }
});

test.each<[string, (ids: string[]) => object, number]>([
  ['keeps the other webhooks if it names none', () => ({ enabled: false }), 200],
  ['is rejected if it names the webhook', (ids) => ({ notification_webhook_ids: [...ids].reverse() }), 422],
])('a change of an alert rule during the deletion of its webhook %s', async (_, changeFor, expected) => {
  const ids = [await addWebhook(), await addWebhook()];
  const rule = await addRule({ notification_webhook_ids: ids });
  const trx = await api.database.knex.transaction();
  await trx.raw('select 1 from webhooks where id = ? for update', ids.slice(0, 1));
  const patching = api.call<AlertRule>('PATCH', ruleAt(rule.id), { body: changeFor(ids) });
  await untilLockWaits(api.database);
  await trx('alert_rule_webhooks').where({ webhook_id: ids[0] }).delete();
  await trx('webhooks').where({ id: ids[0] }).delete();
  await trx.commit();
  expect((await patching).status).toBe(expected);
  expect((await read(rule.id)).body).toMatchObject({
    enabled: expected !== 200,
    notification_webhook_ids: [ids[1]],
  });
});

test('alert rules are listed oldest first, in pages if a limit is given', async () => {
  const whole = (await api.call<AlertRule[]>('GET', collection)).body;
  const paged: AlertRule[] = [];
  for (let next: string | undefined = `${collection}?limit=3`; next !== undefined; ) {
    const page: { body: AlertRule[]; headers: Headers } = await api.call('GET', next);
    paged.push(...page.body);
    next = /^<(.*)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1];
  }
  expect(paged).toEqual(whole);
  expect(whole.map(({ created_at }) => created_at)).toEqual(whole.map(({ created_at }) => created_at).sort());
});

test.each([
  ['a threshold that is a string', { threshold: '0.4' }, '/threshold'],
  ['an unknown bound', { bound: 'sideways' }, '/bound'],
  ['a model id that is not a UUID', { model_id: 'm1' }, '/model_id'],
  [
    'a webhook id that is not a UUID',
    { notification_webhook_ids: ["'; drop table alert_rules; --"] },
    '/notification_webhook_ids/0',
  ],
  [
    'webhook ids that are not an array',
    { notification_webhook_ids: randomUUID() },
    '/notification_webhook_ids',
  ],
  ['an unknown field', { severity: 1 }, '/severity'],
  ['a read-only field', { workspace_id: workspaceId }, '/workspace_id'],
])('an alert rule with %s is rejected', async (_, changes, path) => {
  const { status, body } = await api.call('POST', collection, { body: { ...fields, ...changes } });
  expect([status, body.errors?.map((error) => error.path)]).toEqual([422, [path]]);
});

test('a threshold above the range of a double is rejected', async () => {
  const body = JSON.stringify(fields).replace('0.25', '1e999');
  expect((await api.call('POST', collection, { body })).status).toBe(422);
});

test('a request for a rule of another workspace gets 403, and a reader cannot change rules', async () => {
  const { id } = await addRule();
  for (const method of ['GET', 'PATCH', 'DELETE']) {
    expect((await api.call(method, ruleAt(id), { as: 'outsider' })).status).toBe(403);
  }
  expect((await api.call('GET', ruleAt(id), { as: 'reader' })).status).toBe(200);
  expect((await api.call('PATCH', ruleAt(id), { as: 'reader', body: {} })).status).toBe(403);
  expect((await api.call('DELETE', ruleAt(id), { as: 'reader' })).status).toBe(403);
  expect((await api.call('POST', collection, { as: 'reader', body: fields })).status).toBe(403);
  expect((await api.call('GET', collection, { as: 'publisher' })).status).toBe(403);
});

test('a long list of alert rules is complete and in order', async () => {
  await api.database.knex.raw(
    `insert into alert_rules (id, workspace_id, name, model_id, threshold, bound, enabled, created_at, updated_at,
                              last_updated_by)
     select gen_random_uuid(), ?, 'Rule ' || n, gen_random_uuid(), n, 'upper_bound', true, now(), now(), 'test'
     from generate_series(1, 750) n`,
    [otherWorkspaceId],
  );
  const path = `/api/v1/workspaces/${otherWorkspaceId}/alert_rules`;
  const { body } = await api.call<AlertRule[]>('GET', path, { as: 'outsider' });
  const ids = body.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)].sort());
  expect(body.filter(({ name }) => name.startsWith('Rule ')).length).toBe(750);
});
