import { randomUUID } from 'node:crypto';
import {
  type AlertFired,
  alertFiredKey,
  alertPublisherHeader,
  alertsExchange,
  requestIdHeader,
} from '@tocsin/contracts';
import { decryptPublisher } from '@tocsin/deliveries';
import { AppError } from '@tocsin/kit';
import { PublishError } from '@tocsin/messaging';
import { testSecretBox } from '@tocsin/testing/database';
import { createPublishAlert, type PublishAlertDeps } from './publish-alert.js';

const { jest } = import.meta;

const workspaceId = randomUUID();
const fired = {
  alert_id: randomUUID(),
  alert_rule_id: randomUUID(),
  model_id: randomUUID(),
  model_name: 'Model',
  metric_value: 1,
};

/** Returns the function that publishes alerts of one registered rule, and the messages that it has published. */
function startPublishing(now = new Date()) {
  const published: { content: Buffer; headers?: Record<string, unknown> }[] = [];
  const { publish } = createPublishAlert({
    reader: {
      findRules: async () => ({ workspaceIds: { [fired.alert_rule_id]: workspaceId }, knownWebhookIds: [] }),
    },
    publisher: { publish: async (message) => void published.push(message) },
    quota: { requireCapacity: async () => {} },
    secretBox: testSecretBox,
    now: () => now,
  });
  return { publish, published };
}

test('an alert whose rule lookup times out gets 503 with its id and is not published', async () => {
  const published: unknown[] = [];
  const { publish } = createPublishAlert({
    // Simulates a database that does not respond.
    reader: { findRules: () => new Promise(() => {}) },
    publisher: { publish: async (message) => void published.push(message) },
    quota: { requireCapacity: async () => {} },
    secretBox: testSecretBox,
    now: () => new Date(),
    ruleTimeoutMs: 20,
  });
  const error = await publish({ workspaceId, body: fired, requestId: 'r', publisherId: randomUUID() }).catch(
    (caught) => caught,
  );
  expect(error).toBeInstanceOf(AppError);
  expect(error).toMatchObject({
    code: 'unavailable',
    retryAfterSeconds: 2,
    extra: { alert_id: fired.alert_id },
  });
  expect(published).toEqual([]);
});

// Workers find the workspace of a message without parsing the JSON: they read the first member `workspace_id`.
test('in an alert message, the workspace id precedes a label with the name workspace_id', async () => {
  const { publish, published } = startPublishing();
  const body = { labels: { workspace_id: randomUUID() }, ...fired };
  await publish({ workspaceId, body, requestId: 'r', publisherId: randomUUID() });
  const text = published[0]!.content.toString();
  expect(text.match(/"workspace_id":"([^"]*)"/g)).toEqual([
    `"workspace_id":"${workspaceId}"`,
    `"workspace_id":"${body.labels.workspace_id}"`,
  ]);
});

test('the message of an alert contains its request id, its publisher and its trace context', async () => {
  const { publish, published } = startPublishing(new Date(0));
  const publisherId = randomUUID();
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const request = { workspaceId, body: fired, requestId: 'r', publisherId };
  expect(await publish({ ...request, traceparent })).toBe(fired.alert_id);
  await publish(request);
  const [traced, untraced] = published;
  expect(traced).toMatchObject({
    exchange: alertsExchange,
    routingKey: alertFiredKey,
    type: 'alert.fired',
    headers: { [requestIdHeader]: 'r', traceparent },
  });
  expect(untraced!.headers).not.toHaveProperty('traceparent');
  const alert: AlertFired = JSON.parse(traced!.content.toString());
  expect(alert).toEqual({
    ...fired,
    workspace_id: workspaceId,
    fired_at: new Date(0).toISOString(),
    type: 'alert.fired',
    version: 1,
  });
  const header = String(traced!.headers?.[alertPublisherHeader]);
  expect(decryptPublisher(header, alert, testSecretBox)).toBe(publisherId);
});

test('an error of the rule lookup is thrown unchanged, without waiting for its timeout', async () => {
  const unavailable = new Error('connection refused');
  const { publish } = createPublishAlert({
    reader: { findRules: () => Promise.reject(unavailable) },
    publisher: { publish: async () => {} },
    quota: { requireCapacity: async () => {} },
    secretBox: testSecretBox,
    now: () => new Date(),
    ruleTimeoutMs: 60_000,
  });
  await expect(publish({ workspaceId, body: fired, requestId: 'r', publisherId: randomUUID() })).rejects.toBe(
    unavailable,
  );
});

test('minus zero in an alert and in its rule is published as minus zero', async () => {
  const { publish, published } = startPublishing();
  const alert_rule = {
    name: 'R "x"',
    enabled: true,
    threshold: -0,
    bound: 'upper_bound' as const,
    notification_webhook_ids: [randomUUID(), randomUUID()],
  };
  const body = { ...fired, metric_value: -0, threshold: 0, bound: 'upper_bound' as const, alert_rule };
  await publish({ workspaceId, body, requestId: 'r', publisherId: randomUUID() });
  const text = published[0]!.content.toString();
  expect(JSON.parse(text)).toMatchObject(body);
  expect(text).toMatch(/"metric_value":-0\.0,"threshold":0,/);
  expect(text).toMatch(/"threshold":-0\.0,"bound"/);
});

const request = { workspaceId, requestId: 'r', publisherId: randomUUID() };
const startWith = (deps: Partial<PublishAlertDeps>) =>
  createPublishAlert({
    reader: {
      findRules: async () => ({ workspaceIds: { [fired.alert_rule_id]: workspaceId }, knownWebhookIds: [] }),
    },
    publisher: { publish: async () => {} },
    quota: { requireCapacity: async () => {} },
    secretBox: testSecretBox,
    now: () => new Date(),
    ...deps,
  });
const why = 'The alert rule could not be looked up: the database does not respond. ';

test('an alert whose rule lookup does not end within 2 s gets 503', async () => {
  jest.useFakeTimers();
  try {
    let error: unknown;
    const { publish } = startWith({ reader: { findRules: () => new Promise(() => {}) } });
    publish({ ...request, body: fired }).catch((caught) => {
      error = caught;
    });
    await jest.advanceTimersByTimeAsync(1_999);
    expect(error).toBeUndefined();
    await jest.advanceTimersByTimeAsync(1);
    expect(error).toMatchObject({ code: 'unavailable' });
  } finally {
    jest.useRealTimers();
  }
});

test.each<[string, object[], string, object | undefined]>([
  ['one alert', [fired], 'It is safe to repeat the alert with this alert_id.', { alert_id: fired.alert_id }],
  ['two alerts', [fired, fired], 'No alert was published.', undefined],
  ['one invalid alert', [{}], 'No alert was published.', undefined],
])(
  'a batch of %s gets 503 as a whole while the database is unavailable',
  async (_, alerts, advice, extra) => {
    const unavailable = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    const { publishBatch } = startWith({ quota: { requireCapacity: () => Promise.reject(unavailable) } });
    const items = alerts.map((alert) =>
      'alert_id' in alert
        ? { ok: true as const, value: fired }
        : { ok: false as const, value: alert, errors: [{ path: '/model_id', message: 'is required' }] },
    );
    await expect(publishBatch({ ...request, items })).rejects.toMatchObject({
      code: 'unavailable',
      retryAfterSeconds: 2,
      detail: `${why}${advice}`,
      extra,
    });
  },
);

test('an alert that the broker does not confirm gets 503 with its id; other errors are thrown', async () => {
  const failing = (error: Error) =>
    startWith({ publisher: { publish: () => Promise.reject(error) } }).publish({ ...request, body: fired });
  await expect(failing(new PublishError('timeout', 'unconfirmed'))).rejects.toMatchObject({
    code: 'unavailable',
    retryAfterSeconds: 2,
    detail: expect.stringMatching(/^The broker did not confirm the alert\. It is safe to repeat/),
    extra: { alert_id: fired.alert_id },
  });
  const fault = new Error('our own fault');
  await expect(failing(fault)).rejects.toBe(fault);
});

test('an alert is not published if its workspace has reached its limit on open deliveries', async () => {
  const full = new AppError('too_many_requests', 'full');
  const published: unknown[] = [];
  const { publish } = startWith({
    publisher: { publish: async (message) => void published.push(message) },
    quota: { requireCapacity: () => Promise.reject(full) },
  });
  await expect(publish({ ...request, body: fired })).rejects.toBe(full);
  expect(published).toEqual([]);
});

test('a workspace_id in a rejected body is an error only if it is a UUID that is not in the path', async () => {
  const upper = 'ABCDEF00-0000-4000-8000-000000000000';
  const { errorsOf } = startWith({});
  const pathsOf = async (body: unknown) =>
    (await errorsOf(upper.toLowerCase(), body)).map(({ path }) => path);
  expect(await pathsOf({ workspace_id: upper })).toEqual([]);
  expect(await pathsOf({ workspace_id: randomUUID() })).toEqual(['/workspace_id']);
  for (const body of [{ workspace_id: 'x' }, { workspace_id: 7 }, null, 'text'])
    expect(await pathsOf(body)).toEqual([]);
});
