import { randomUUID } from 'node:crypto';
import { insertWebhook } from '@tocsin/testing/database';
import {
  expectStatuses,
  otherWorkspaceId,
  type Problem,
  startApi,
  type TestApi,
  workspaceId,
} from './support/api.js';
import { startInbox } from './support/inbox.js';
import type { Role } from './support/tokens.js';

const alerts = `/api/v1/workspaces/${workspaceId}/alerts`;
const embedded = {
  name: 'Own rule',
  enabled: true,
  threshold: 0.4,
  bound: 'upper_bound',
  notification_webhook_ids: [],
};
const fired = () => ({
  alert_rule_id: randomUUID(),
  model_id: randomUUID(),
  model_name: 'Churn "v2"',
  metric_value: 0.4212,
  alert_rule: embedded,
});

let api: TestApi;
let inbox: Awaited<ReturnType<typeof startInbox>>;
beforeAll(async () => {
  api = await startApi();
  inbox = await startInbox(api.broker.url);
  await brokerIsUp();
});
afterAll(async () => {
  await inbox.close();
  await api.close();
});

type Publishing = { alert_id: string } & Partial<Problem>;
const publish = (body: unknown, as: Role = 'publisher') => api.call<Publishing>('POST', alerts, { body, as });

/** Waits until alerts can be published. The service can start before it has connected to the broker. */
async function brokerIsUp(): Promise<void> {
  while ((await publish(fired())).status === 503);
}

/** Publishes a valid alert and waits for it. The broker keeps the order, so all earlier alerts have arrived too. */
async function countArrived(): Promise<number> {
  await inbox.alert((await publish(fired())).body.alert_id);
  return inbox.messages.length;
}

async function createRule(workspace = workspaceId): Promise<string> {
  const body = { name: 'Rule', model_id: randomUUID(), threshold: 0.4, bound: 'upper_bound' };
  const path = `/api/v1/workspaces/${workspace}/alert_rules`;
  return (await api.call<{ id: string }>('POST', path, { body, as: 'admin' })).body.id;
}

describe('publishing an alert', () => {
  test('an alert is in the queue when the response is 202', async () => {
    const { alert_rule: _, ...message } = fired();
    const body = {
      ...message,
      type: 'alert.fired',
      version: 1,
      alert_id: randomUUID(),
      workspace_id: workspaceId,
      fired_at: '2025-01-31T12:00:00.123456Z',
      alert_rule_id: await createRule(),
      threshold: 0.3,
      bound: 'lower_bound',
      state: 'resolved',
      labels: { team: 'risk "A"', zone: '' },
      annotations: { link: 'https://example.com/?a=1' },
    };
    const response = await publish(body);
    expect([response.status, response.body]).toEqual([202, { alert_id: body.alert_id }]);
    expect(response.headers.get('location')).toBe(`${alerts}/${body.alert_id}`);
    expect(await inbox.alert(body.alert_id)).toEqual(body);
  });

  test('missing id, time, workspace, type and version are added to an alert', async () => {
    const { body, status } = await publish(fired());
    expect(status).toBe(202);
    const message = await inbox.alert(body.alert_id);
    expect(message).toMatchObject({ type: 'alert.fired', version: 1, workspace_id: workspaceId });
    expect(Math.abs(Date.parse(message.fired_at) - Date.now())).toBeLessThan(60_000);
  });

  test('alerts are published with ids in lower case and times in UTC', async () => {
    const alertId = randomUUID();
    await publish({
      ...fired(),
      alert_id: alertId.toUpperCase(),
      workspace_id: workspaceId.toUpperCase(),
      fired_at: '2025-01-31T12:00:00.123456+02:00',
    });
    expect(await inbox.alert(alertId)).toMatchObject({
      workspace_id: workspaceId,
      fired_at: '2025-01-31T10:00:00.123456Z',
    });
  });

  test('an alert of a deleted rule gets 202', async () => {
    const ruleId = await createRule();
    await api.call('DELETE', `/api/v1/alert_rules/${ruleId}`);
    const { alert_rule: _, ...message } = fired();
    expect((await publish({ ...message, alert_rule_id: ruleId })).status).toBe(202);
  });

  test('one response lists every error of an alert, including those of its rule and workspace', async () => {
    const { alert_rule: _, ...message } = fired();
    const wrong = { workspace_id: otherWorkspaceId, labels: { '1': 'x' }, state: 'ok', severity: 'high' };
    const rejected = await publish({ ...message, ...wrong, metric_value: '1' });
    expect(rejected.status).toBe(422);
    expect(rejected.body.errors?.map(({ path }) => path).sort()).toEqual(
      ['/alert_rule_id', '/labels/1', '/metric_value', '/severity', '/state', '/workspace_id'].sort(),
    );
    const valid = await publish({ ...message, workspace_id: otherWorkspaceId });
    expect(valid.body.errors?.map(({ path }) => path)).toEqual(['/workspace_id', '/alert_rule_id']);
    const alert_rule = { ...embedded, notification_webhook_ids: [randomUUID()] };
    const own = await publish({ ...message, alert_rule, metric_value: null });
    expect(own.body.errors?.map(({ path }) => path)).toEqual([
      '/metric_value',
      '/alert_rule/notification_webhook_ids',
    ]);
  });

  test('an alert of an unknown rule or a rule of another workspace is rejected', async () => {
    const elsewhere = await createRule(otherWorkspaceId);
    const { alert_rule: _, ...bare } = fired();
    for (const body of [
      { ...fired(), alert_rule_id: elsewhere },
      { ...bare, alert_rule_id: elsewhere },
      bare,
    ]) {
      const response = await publish(body);
      expect(response.status).toBe(422);
      expect(response.body.errors).toEqual([
        { path: '/alert_rule_id', message: expect.stringContaining('not an alert rule of this workspace') },
      ]);
    }
  });

  test.each([
    ['another workspace', { workspace_id: otherWorkspaceId }, '/workspace_id'],
    ['an unknown member', { severity: 'high' }, '/severity'],
    ['an unknown member of its rule', { alert_rule: { ...embedded, extra: 1 } }, '/alert_rule/extra'],
    ['another type', { type: 'alert.cleared' }, '/type'],
    ['another version', { version: 2 }, '/version'],
    ['a number in quotes', { metric_value: '0.4' }, '/metric_value'],
    ['null', { metric_value: null }, '/metric_value'],
    ['a local time', { fired_at: '2025-01-31T12:00:00' }, '/fired_at'],
    ['a time that does not exist', { fired_at: '2025-02-30T12:00:00Z' }, '/fired_at'],
    ['a malformed id', { alert_id: `'; drop table alerts; --` }, '/alert_id'],
    ['an id with a prefix', { alert_id: `urn:uuid:${randomUUID()}` }, '/alert_id'],
    ['an unknown bound', { bound: 'between' }, '/bound'],
    ['a NUL', { model_name: 'a\0b' }, '/model_name'],
    ['a lone surrogate', { model_name: '\ud800' }, '/model_name'],
    ['a name that is too long', { model_name: 'x'.repeat(1_025) }, '/model_name'],
  ])('an alert with %s is rejected with the path of the wrong value', async (_, change, path) => {
    const before = await countArrived();
    const { status, body } = await publish({ ...fired(), ...change });
    expect([status, body.errors?.[0]?.path]).toEqual([422, path]);
    expect(await countArrived()).toBe(before + 1);
  });

  test('an alert with 21 webhooks, or with a number above the range of a double, is rejected', async () => {
    const text = JSON.stringify(fired()).replace('0.4212', '1e999');
    expect((await publish(text)).status).toBe(422);
    const ids = Array.from({ length: 21 }, () => randomUUID());
    expect(
      (await publish({ ...fired(), alert_rule: { ...embedded, notification_webhook_ids: ids } })).status,
    ).toBe(422);
  });

  test('webhooks of an unregistered rule must be in the workspace of the alert', async () => {
    const known = await insertWebhook(api.database, { workspaceId });
    const foreign = await insertWebhook(api.database, { workspaceId: otherWorkspaceId });
    const unknown = randomUUID();
    const alert_rule = {
      ...embedded,
      notification_webhook_ids: [known, foreign, known, unknown.toUpperCase()],
    };
    const { status, body } = await publish({ ...fired(), alert_rule });
    expect([status, body.errors]).toEqual([
      422,
      [{ path: '/alert_rule/notification_webhook_ids', message: expect.stringContaining(foreign) }],
    ]);
    expect(body.errors?.[0]?.message).toContain(unknown);
    expect(body.errors?.[0]?.message).not.toContain(known);
    const own = { ...embedded, notification_webhook_ids: [known.toUpperCase(), known] };
    expect((await publish({ ...fired(), alert_rule: own })).status).toBe(202);
    expect((await publish({ ...fired(), alert_rule, alert_rule_id: await createRule() })).status).toBe(202);
  });

  test('an empty alert is rejected with the names of all missing fields', async () => {
    const { body } = await publish({});
    expect(body.errors?.map(({ path }) => path).sort()).toEqual([
      '/alert_rule_id',
      '/metric_value',
      '/model_id',
      '/model_name',
    ]);
  });

  test('a publisher can publish and read alerts but cannot read deliveries', async () => {
    await expectStatuses((as) => publish(fired(), as), {
      publisher: 202,
      admin: 202,
      editor: 403,
      reader: 403,
      outsider: 403,
    });
    const { body } = await publish(fired());
    expect((await api.call('GET', alerts, { as: 'publisher' })).status).toBe(200);
    const own = await api.call('GET', `${alerts}/${body.alert_id}`, { as: 'publisher' });
    expect([own.status, own.body.code]).toEqual([404, 'alert_not_processed']);
    const deliveries = `/api/v1/workspaces/${workspaceId}/deliveries`;
    expect((await api.call('GET', deliveries, { as: 'publisher' })).status).toBe(403);
  });
});
