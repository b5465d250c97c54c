import { randomUUID } from 'node:crypto';
import { AppError } from '@tocsin/kit';
import { createPublishAlert } from './publish-alert.js';

const workspaceId = randomUUID();
const fired = {
  alert_id: randomUUID(),
  alert_rule_id: randomUUID(),
  model_id: randomUUID(),
  model_name: 'Model',
  metric_value: 1,
};

test('an alert whose rule cannot be looked up in time is unavailable with its id, and not published', async () => {
  const published: unknown[] = [];
  const publishAlert = createPublishAlert({
    // As a database behaves whose connections are frozen.
    reader: { findRuleWorkspace: () => new Promise(() => {}) },
    publisher: { publish: async (message) => void published.push(message) },
    now: () => new Date(),
    ruleTimeoutMs: 20,
  });
  const error = await publishAlert({ workspaceId, body: fired, requestId: 'r' }).catch((caught) => caught);
  expect(error).toBeInstanceOf(AppError);
  expect(error).toMatchObject({
    code: 'unavailable',
    retryAfterSeconds: 2,
    extra: { alert_id: fired.alert_id },
  });
  expect(published).toEqual([]);
});

test('a database that is away at once is not waited for', async () => {
  const away = new Error('connection refused');
  const publishAlert = createPublishAlert({
    reader: { findRuleWorkspace: () => Promise.reject(away) },
    publisher: { publish: async () => {} },
    now: () => new Date(),
    ruleTimeoutMs: 60_000,
  });
  await expect(publishAlert({ workspaceId, body: fired, requestId: 'r' })).rejects.toBe(away);
});
