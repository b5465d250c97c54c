import { randomUUID } from 'node:crypto';
import { dispatchAlerts, planDispatch, redeliver } from '@tocsin/deliveries';
import { until } from '@tocsin/testing';
import { useWorkerHarness } from './support/worker-harness.js';

const harness = useWorkerHarness();
beforeAll(() => harness.startWorker());

test('each webhook of a rule gets the alert, and the sender adds only headers that HTTP needs', async () => {
  const body =
    '{"text": "{{ model_name }} at {{ metric_value | round(2) }} of {{ threshold }}", "typo": "{{ modle }}"}';
  const first = await harness.addTarget({
    body,
    headers: { 'X-Team': ['a', 'b'], authorization: ['Basic dTpw'] },
  });
  const second = await harness.addTarget({ body: '{"at": "{{ fired_at }}", "bound": "{{ bound }}"}' });
  const alertId = await harness.fire(await harness.addRule([first.id, second.id]), { threshold: 5 });

  const rows = await harness.settled(alertId, 2);
  expect(rows.map((row) => row.status)).toEqual(['succeeded', 'succeeded']);
  const [request] = harness.destination.at(first.path);
  expect(JSON.parse(request!.body)).toEqual({ text: 'churn "v2" at 0.42 of 5.0', typo: '' });
  expect(request!.rawHeaders.filter((name) => /^x-team$/i.test(name))).toHaveLength(2);
  const names = request!.rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  expect([...new Set(names)].sort()).toEqual([
    'authorization',
    'connection',
    'content-length',
    'host',
    'x-team',
  ]);
  expect(JSON.parse(harness.destination.at(second.path)[0]!.body)).toEqual({
    at: '2026-01-02T03:04:05.678Z',
    bound: 'upper_bound',
  });
});

test('a template receives state, labels and annotations, in the first attempt and in a retry', async () => {
  const body =
    '{"state": "{{ state }}", "team": "{{ labels.team }}", "labels": [{% for name, text in labels.items() %}"{{ name }}={{ text }}", {% endfor %}0], "link": "{{ annotations.link }}", "test": {{ is_test | tojson }}}';
  const target = await harness.addTarget({ body });
  harness.destination.respond(target.path, (_, response) => {
    const tries = harness.destination.at(target.path).length;
    response.writeHead(tries === 1 ? 503 : 200).end();
  });
  const labels = { zone: 'b', team: 'risk "A"', a: '' };
  const annotations = { link: 'https://example.com/?a=1&b="2"', summary: 'x' };
  const ruleId = await harness.addRule([target.id]);
  const alertId = await harness.fire(ruleId, { state: 'resolved', labels, annotations });
  await harness.settled(alertId, 1);
  const bodies = harness.destination.at(target.path).map((request) => request.body);
  expect(bodies).toHaveLength(2);
  expect(bodies[1]).toBe(bodies[0]);
  expect(JSON.parse(bodies[0]!)).toEqual({
    state: 'resolved',
    team: 'risk "A"',
    labels: ['zone=b', 'team=risk "A"', 'a=', 0],
    link: annotations.link,
    test: false,
  });
  expect(await harness.alertOf(alertId)).toMatchObject({ state: 'resolved', labels, annotations });
});

test('a template sees an alert without a state as firing, and missing labels as empty', async () => {
  const target = await harness.addTarget({
    body: '{"state": "{{ state }}", "labels": {{ labels | tojson }}, "link": "{{ annotations.link }}", "all": {{ alert | tojson }}}',
  });
  const alertId = await harness.fire(await harness.addRule([target.id]));
  await harness.settled(alertId, 1);
  const sent = JSON.parse(harness.destination.at(target.path)[0]!.body);
  expect(sent).toMatchObject({ state: 'firing', labels: {}, link: '' });
  // Printing the object `alert` shows only these members. Labels and annotations are not among them, so that existing
  // templates render the same text.
  const members = ['bound', 'fired_at', 'id', 'metric_value', 'threshold', 'workspace_id'];
  expect(Object.keys(sent.all).sort()).toEqual(members);
  expect(await harness.alertOf(alertId)).toMatchObject({ state: 'firing', labels: null, annotations: null });
});

test('an alert that is published twice is accepted once', async () => {
  const target = await harness.addTarget();
  const ruleId = await harness.addRule([target.id]);
  const alertId = await harness.fire(ruleId);
  await harness.settled(alertId, 1);
  await harness.fire(ruleId, { alert_id: alertId });
  const later = await harness.fire(ruleId);
  await harness.settled(later, 1);
  expect(await harness.deliveriesOf(alertId)).toHaveLength(1);
  expect(harness.destination.at(target.path)).toHaveLength(2);
});

test.each([
  ['rule_disabled', { enabled: false }],
  ['rule_deleted', { deleted: true }],
])('an alert with the outcome %s has no deliveries', async (outcome, options) => {
  const target = await harness.addTarget();
  const alertId = await harness.fire(await harness.addRule([target.id], options));
  const alert = await until('the alert is recorded', () => harness.alertOf(alertId));
  expect(alert.outcome).toBe(outcome);
  expect(await harness.deliveriesOf(alertId)).toEqual([]);
});

test('an alert of a rule without webhooks has no deliveries and the outcome no_webhooks', async () => {
  const alertId = await harness.fire(await harness.addRule([]));
  expect((await until('the alert is recorded', () => harness.alertOf(alertId))).outcome).toBe('no_webhooks');
});

test('a rule in the message is used only if no rule with its id was ever registered', async () => {
  const target = await harness.addTarget({
    body: '{"rule": "{{ alert_rule_name }}", "limit": {{ threshold }}}',
  });
  const foreign = await harness.addTarget({ workspace: randomUUID() });
  const alert_rule = {
    name: 'of the monitor',
    enabled: true,
    threshold: 0.25,
    bound: 'lower_bound',
    notification_webhook_ids: [target.id, foreign.id, target.id],
  };
  const alertId = await harness.fire(randomUUID(), { alert_rule });
  const rows = await harness.settled(alertId, 2);
  expect(JSON.parse(harness.destination.at(target.path)[0]!.body)).toEqual({
    rule: 'of the monitor',
    limit: 0.25,
  });
  // A delivery to a webhook of another workspace is written as failed. No worker claims it, and nothing is sent.
  const failed = rows.find((row) => row.webhook_id === foreign.id);
  expect(failed).toMatchObject({ status: 'failed', error_code: 'webhook_deleted', claims: 0 });
  expect(failed.failed_at).toBeInstanceOf(Date);
  expect(harness.destination.at(foreign.path)).toEqual([]);
});

test('a delivery of a missing webhook can be redelivered after the webhook was created', async () => {
  const webhookId = randomUUID();
  const alert_rule = {
    name: 'of the monitor',
    enabled: true,
    threshold: 0.25,
    bound: 'lower_bound',
    notification_webhook_ids: [webhookId, webhookId.toUpperCase()],
  };
  const alertId = await harness.fire(randomUUID(), { alert_rule });
  const [failed] = await harness.settled(alertId, 1);
  expect(failed).toMatchObject({ status: 'failed', error_code: 'webhook_deleted', attempts_made: 0 });
  const target = await harness.addTarget({ id: webhookId });
  expect(await redeliver(harness.database, failed.id)).toBe('reopened');
  const [row] = await until('the delivery has succeeded', async () => {
    const rows = await harness.deliveriesOf(alertId);
    return rows[0].status === 'succeeded' && rows;
  });
  expect(row).toMatchObject({ run: 2, attempts_made: 1, error_code: null });
  expect(harness.destination.at(target.path)).toHaveLength(1);
});

test('the webhooks of a disabled rule in a message are stored, and a dispatch by hand calls them', async () => {
  const target = await harness.addTarget({ body: '{"limit": {{ threshold }}, "at": "{{ fired_at }}"}' });
  const alert_rule = {
    name: 'of the monitor',
    enabled: false,
    threshold: 0.25,
    bound: 'lower_bound',
    notification_webhook_ids: [target.id],
  };
  const alertId = await harness.fire(randomUUID(), { alert_rule });
  const alert = await until('the alert is recorded', () => harness.alertOf(alertId));
  expect(alert).toMatchObject({ outcome: 'rule_disabled' });
  const plan = await planDispatch(harness.database, { workspaceId: harness.workspaceId, alertId });
  if (plan.kind !== 'dispatch') throw new Error(`The alert cannot be dispatched: ${plan.kind}.`);
  expect(await dispatchAlerts(harness.database.knex, [plan], 'test')).toHaveLength(1);
  expect(await dispatchAlerts(harness.database.knex, [plan], 'test')).toHaveLength(0);
  const [row] = await harness.settled(alertId, 1);
  expect(JSON.parse(harness.destination.at(target.path)[0]!.body)).toEqual({
    limit: 0.25,
    at: '2026-01-02T03:04:05.678Z',
  });
  expect(await harness.attempts(row.id)).toMatchObject([{ number: 1, trigger: 'manual' }]);
});

test('an unreachable, a failing and a slow destination do not delay seventeen other destinations', async () => {
  const slow = await harness.addTarget();
  harness.destination.respond(slow.path, (_, response) => setTimeout(() => response.end('late'), 3_000));
  const failing = await harness.addTarget();
  harness.destination.respond(failing.path, (_, response) => response.writeHead(500).end('no'));
  const dead = await harness.addTarget({ url: 'http://127.0.0.1:1/' });
  const healthy = await Promise.all(Array.from({ length: 17 }, () => harness.addTarget()));
  const ids = [dead, slow, failing, ...healthy].map((target) => target.id);
  const alertId = await harness.fire(await harness.addRule(ids));

  await until('the healthy ones have arrived', () =>
    healthy.every((target) => harness.destination.at(target.path).length === 1),
  );
  expect(harness.destination.at(slow.path).length).toBeLessThanOrEqual(1);
  const rows = await harness.settled(alertId, 20);
  const byWebhook = new Map(rows.map((row) => [row.webhook_id, row]));
  expect(byWebhook.get(dead.id)).toMatchObject({
    status: 'failed',
    attempts_made: 4,
    error_code: 'connection_refused',
  });
  expect(byWebhook.get(failing.id)).toMatchObject({
    status: 'failed',
    attempts_made: 4,
    error_code: 'http_status',
    status_code: 500,
  });
  expect(byWebhook.get(slow.id)).toMatchObject({ status: 'succeeded', attempts_made: 1 });
});

test('a delivery whose template fails, or does not render JSON, sends no request', async () => {
  const broken = await harness.addTarget({ body: '{"a": {{ metric_value }' });
  const notJson = await harness.addTarget({ body: '{"a": {{ model_name }}}' });
  const rows = await harness.settled(await harness.fire(await harness.addRule([broken.id, notJson.id])), 2);
  const codes = Object.fromEntries(rows.map((row) => [row.webhook_id, row.error_code]));
  expect(codes).toEqual({ [broken.id]: 'template_error', [notJson.id]: 'invalid_json' });
  expect(rows.every((row) => row.attempts_made === 0)).toBe(true);
});

test('a delivery to a disabled webhook is skipped', async () => {
  const disabled = await harness.addTarget({ enabled: false });
  const rows = await harness.settled(await harness.fire(await harness.addRule([disabled.id])), 1);
  expect(rows[0]).toMatchObject({ status: 'skipped', error_code: 'webhook_disabled', attempts_made: 0 });
});

test.each([
  ['failed', 'webhook_deleted', (id: string) => harness.database.knex('webhooks').where({ id }).delete()],
  [
    'skipped',
    'webhook_disabled',
    (id: string) => harness.database.knex('webhooks').where({ id }).update({ enabled: false }),
  ],
])(
  'a delivery ends as %s (%s) if its webhook is deleted or disabled during a failing request',
  async (status, error_code, change) => {
    const target = await harness.addTarget();
    harness.destination.respond(target.path, async (_, response) => {
      await harness.database.knex('alert_rule_webhooks').where({ webhook_id: target.id }).delete();
      await change(target.id);
      // `Retry-After` delays a retry by an hour. The delivery ends earlier, because `change` has deleted or disabled
      // its webhook.
      response.writeHead(503, { 'Retry-After': '3600' }).end();
    });
    const alertId = await harness.fire(await harness.addRule([target.id]));
    expect(await harness.settled(alertId, 1)).toMatchObject([{ status, error_code, attempts_made: 1 }]);
  },
);

test('deliveries of other alerts wait without an attempt while Retry-After pauses the webhook', async () => {
  const target = await harness.addTarget();
  let asked = 0;
  harness.destination.respond(target.path, (_, response) => {
    asked += 1;
    if (asked === 1) response.writeHead(429, { 'Retry-After': '2' }).end();
    else response.end('ok');
  });
  const ruleId = await harness.addRule([target.id]);
  const first = await harness.fire(ruleId);
  await until('the first request has arrived', () => harness.destination.at(target.path).length === 1);
  await until('the pause is written', () =>
    harness.database.knex('webhook_pauses').where({ webhook_id: target.id }).first(),
  );
  const second = await harness.fire(ruleId);
  const [rows] = await Promise.all([harness.settled(second, 1), harness.settled(first, 1)]);
  expect(rows[0]).toMatchObject({ status: 'succeeded', attempts_made: 1 });
  const times = harness.destination.at(target.path).map((entry) => entry.atMs);
  expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(1_900);
  expect(await harness.database.knex('webhook_pauses').where({ webhook_id: target.id })).toEqual([]);
});
