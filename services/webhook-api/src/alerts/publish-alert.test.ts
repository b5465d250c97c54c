import { randomUUID } from 'node:crypto';
import { AppError } from '@tocsin/kit';
import { testSecretBox } from '@tocsin/testing/database';
import { createPublishAlert } from './publish-alert.js';

const workspaceId = randomUUID();
const fired = {
  alert_id: randomUUID(),
  alert_rule_id: randomUUID(),
  model_id: randomUUID(),
  model_name: 'Model',
  metric_value: 1,
};

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

test('publishing fails at once while the database is unavailable', async () => {
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
  const published: { content: Buffer }[] = [];
  const { publish } = createPublishAlert({
    reader: {
      findRules: async () => ({ workspaceIds: { [fired.alert_rule_id]: workspaceId }, knownWebhookIds: [] }),
    },
    publisher: { publish: async (message) => void published.push(message) },
    quota: { requireCapacity: async () => {} },
    secretBox: testSecretBox,
    now: () => new Date(),
  });
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
