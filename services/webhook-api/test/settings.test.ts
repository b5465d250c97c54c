import { randomUUID } from 'node:crypto';
import type { WorkspaceSettings } from '@tocsin/contracts';
import { reportWebhooks } from '@tocsin/deliveries';
import { insertAlertRule, insertDelivery, insertWebhook } from '@tocsin/testing/database';
import { otherWorkspaceId, type Problem, useApi, workspaceId } from './support/api.js';

const settings = `/api/v1/workspaces/${workspaceId}/settings`;

const api = useApi();
beforeEach(() => api.database.knex('workspace_settings').delete());

const addWebhook = (workspace = workspaceId) => insertWebhook(api.database, { workspaceId: workspace });
const read = async () => (await api.call<WorkspaceSettings>('GET', settings, { as: 'reader' })).body;
const patch = (body: unknown, as: 'admin' | 'editor' = 'admin') =>
  api.call<WorkspaceSettings & Problem>('PATCH', settings, { body, as });
const remove = (id: string, query = '') => api.call<Problem>('DELETE', `/api/v1/webhooks/${id}${query}`);

test('workspace settings have defaults, and a change keeps the omitted fields', async () => {
  expect(await read()).toEqual({ name: null, notice_webhook_ids: [] });
  const [first, second] = [await addWebhook(), await addWebhook()];
  const named = await patch({ notice_webhook_ids: [first, second.toUpperCase(), first] });
  expect([named.status, named.body]).toEqual([200, { name: null, notice_webhook_ids: [first, second] }]);
  expect((await patch({ name: 'Risk “team”' })).body).toEqual({
    name: 'Risk “team”',
    notice_webhook_ids: [first, second],
  });
  expect((await patch({})).body).toEqual(await read());
  expect((await patch({ name: null, notice_webhook_ids: [] })).body).toEqual({
    name: null,
    notice_webhook_ids: [],
  });
});

test.each<[string, () => Promise<unknown> | unknown]>([
  ['an unknown webhook', () => ({ notice_webhook_ids: [randomUUID()] })],
  [
    'a webhook of another workspace',
    async () => ({ notice_webhook_ids: [await addWebhook(otherWorkspaceId)] }),
  ],
  ['21 webhooks', () => ({ notice_webhook_ids: Array.from({ length: 21 }, () => randomUUID()) })],
  ['a webhook that is no id', () => ({ notice_webhook_ids: ['x'] })],
  ['no list', () => ({ notice_webhook_ids: null })],
  ['an empty name', () => ({ name: '' })],
  ['a name with a NUL', () => ({ name: 'a\0b' })],
  ['an unknown field', () => ({ names: 'a' })],
])('a settings change with %s is rejected and changes nothing', async (_, makeBody) => {
  const { status, body } = await patch(await makeBody());
  expect([status, body.code]).toEqual([422, 'validation_failed']);
  expect(await read()).toEqual({ name: null, notice_webhook_ids: [] });
});

test('all errors of a settings change are reported together', async () => {
  const { body } = await patch({ name: '', names: 'a', notice_webhook_ids: [randomUUID()] });
  const paths = body.errors?.map(({ path }) => path).sort();
  expect(paths).toEqual(['/name', '/names', '/notice_webhook_ids']);
});

test('each role of a workspace can read its settings, and an editor cannot change them', async () => {
  for (const as of ['reader', 'responder', 'publisher', 'editor', 'admin'] as const)
    expect([as, (await api.call('GET', settings, { as })).status]).toEqual([as, 200]);
  expect((await api.call('GET', settings, { as: 'outsider' })).status).toBe(403);
  expect((await patch({ name: 'Mine' }, 'editor')).status).toBe(403);
});

test('a webhook for notices is deleted only with force, which removes it from the settings', async () => {
  const [named, other] = [await addWebhook(), await addWebhook()];
  await patch({ notice_webhook_ids: [named, other] });
  const rejected = await remove(named);
  expect([rejected.status, rejected.body.detail]).toEqual([
    409,
    expect.stringContaining('notice_webhook_ids'),
  ]);
  await insertAlertRule(api.database, { workspaceId, webhookIds: [named] });
  const attached = await remove(named);
  expect([attached.status, attached.body.detail]).toEqual([409, expect.stringContaining('notices')]);
  expect((await remove(named, '?force=true')).status).toBe(204);
  expect(await read()).toEqual({ name: null, notice_webhook_ids: [other] });
});

test('concurrent changes of different settings do not overwrite each other', async () => {
  const ids = await Promise.all(Array.from({ length: 4 }, () => addWebhook()));
  const changes = Array.from({ length: 20 }, (_, index) =>
    index % 2 === 0 ? { name: `name ${index}` } : { notice_webhook_ids: [ids[index % 4]] },
  );
  const responses = await Promise.all(changes.map((change) => patch(change)));
  expect(responses.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
  const { name, notice_webhook_ids } = await read();
  expect([name !== null, notice_webhook_ids.length]).toEqual([true, 1]);
});

test('a webhook for notices gets a warning if its body does not render for a notice', async () => {
  const id = await addWebhook();
  const change = (body: string) =>
    api.call<{ warnings: string[] }>('PATCH', `/api/v1/webhooks/${id}`, { body: { body } });
  const broken = '{"a": {% if webhook_id %}{{ webhook_id + 1 }}{% else %}1{% endif %}}';
  expect((await change(broken)).body.warnings).toEqual([]);
  await patch({ notice_webhook_ids: [id] });
  const { warnings } = (await change(broken)).body;
  expect(warnings).toEqual([expect.stringContaining('a notice does not render')]);
  expect((await change('{"a": "{{ event }} {{ webhook_name }}"}')).body.warnings).toEqual([]);
});

test.each([
  ['automatically', 'No delivery has succeeded.'],
  ['by a person', null],
])('a webhook that was disabled %s and enabled again is not disabled by old failures', async (_, reason) => {
  const { knex } = api.database;
  const id = await insertWebhook(api.database, {
    workspaceId,
    enabled: false,
    columns: { disabled_reason: reason },
  });
  const times = { since: new Date(0), last_attempt_at: new Date() };
  await knex('webhook_health').insert({ webhook_id: id, failing: true, ...times });
  for (let index = 0; index < 20; index += 1)
    await insertDelivery(api.database, { workspaceId, webhookId: id, status: 'failed' });
  await knex('deliveries').where({ webhook_id: id }).update({ failed_at: new Date() });
  const path = `/api/v1/webhooks/${id}`;
  const read = () => api.call<{ enabled: boolean; disabled_reason: string | null }>('GET', path);
  expect((await read()).body.disabled_reason).toBe(reason);
  expect((await api.call('PATCH', path, { body: { enabled: true } })).status).toBe(200);
  await reportWebhooks(api.database, { noticeAfterMs: 600_000, disableAfterMs: 60_000 });
  expect((await read()).body).toMatchObject({ enabled: true, disabled_reason: null });
  await knex('webhooks')
    .where({ id })
    .update({ enabled_changed_at: new Date(Date.now() - 61_000) });
  await reportWebhooks(api.database, { noticeAfterMs: 600_000, disableAfterMs: 60_000 });
  expect((await read()).body.enabled).toBe(false);
});
