import { randomUUID } from 'node:crypto';
import { expect } from '@playwright/test';
import { createAmqpPublisher } from '@tocsin/client';
import type { BrowserStack } from './stack.js';

/**
 * Creates the data of the screenshots: webhooks whose requests succeed, fail, take long or are signed, and rules,
 * alerts, settings and a dead letter.
 */
export async function seed({ api, inbox_url, amqp_url, workspace_id }: BrowserStack): Promise<void> {
  const body = '{"text": "{{ alert_rule_name }} fired for {{ model_name }}: {{ metric_value | round(2) }}"}';
  const headers = { 'Content-Type': ['application/json'], Authorization: ['Bearer 0123456789abcdef'] };
  const create = (name: string, path: string) =>
    api.webhooks.create({ name, url: `${inbox_url}${path}`, headers, body });
  const chat = await create('On-call chat', '/chat');
  const tracker = await create('Issue tracker', '/status/404');
  const pager = await create('Pager', '/status/503');
  const archive = await create('Archive', '/slow/400ms');
  const model = { model_id: randomUUID(), model_name: 'churn v2' };
  const rule = (name: string, ids: string[]) =>
    api.alertRules.create({
      name,
      model_id: model.model_id,
      threshold: 0.9,
      bound: 'lower_bound',
      notification_webhook_ids: ids,
    });
  const accuracy = await rule('Accuracy too low', [chat.id, tracker.id, archive.id]);
  const drift = await rule('Feature drift', [chat.id, pager.id]);
  const unattached = await rule('Latency of predictions', []);
  const facts = {
    labels: { team: 'risk', region: 'eu-west' },
    annotations: { summary: 'Accuracy fell within an hour.', runbook: 'https://wiki.example.com/churn' },
  };
  const fire = (id: string, metric_value: number) =>
    api.alerts.fire({ ...model, ...facts, alert_rule_id: id, metric_value });
  for (let index = 0; index < 12; index += 1) await fire(accuracy.id, 0.8 + index / 200);
  for (let index = 0; index < 8; index += 1) await fire(drift.id, 0.7 + index / 100);
  await fire(unattached.id, 0.5);
  // The rule is silenced only after all 21 alerts are accepted, because a silence suppresses alerts that are accepted
  // later.
  await expect(async () => expect((await api.alerts.list().toArray()).length).toBe(21)).toPass();
  await api.alertRules.update(drift.id, { silenced_until: inOneHour(), cooldown_seconds: 600 });

  const options = { rate_limit: { requests: 60, period_ms: 60_000 }, timeout_ms: 5_000 };
  await api.webhooks.update(chat.id, { ...options, signing: true, retry_schedule_ms: [5_000, 60_000] });
  await api.webhooks.signingSecrets.create(chat.id);
  await api.webhooks.signingSecrets.create(chat.id, { expire_others_after_seconds: 86_400 });
  await api.webhooks.update(archive.id, { paused_until: inOneHour() });
  await api.settings.update({ name: 'Risk team', notice_webhook_ids: [chat.id] });
  const publisher = await createAmqpPublisher({ url: amqp_url, workspaceId: workspace_id });
  await publisher.publish({ ...model, alert_rule_id: randomUUID(), metric_value: 0.5 });
  await publisher.close();
}

function inOneHour(): string {
  return new Date(Date.now() + 3_600_000).toISOString();
}
