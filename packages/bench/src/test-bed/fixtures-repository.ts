import { randomUUID } from 'node:crypto';
import type { Database, SecretBox } from '@tocsin/database';
import { bodyTemplate, headers } from '../destination/delivery-body.js';

/** A workspace with one alert rule and the webhooks attached to it. */
export interface Fixtures {
  workspaceId: string;
  alertRuleId: string;
  webhookIds: string[];
}

export interface FixturesOptions {
  secrets: SecretBox;
  /** One webhook for each url, in this order. Without urls the rule has no webhooks. */
  urls: string[];
  /** Body template of the webhooks; default: one whose requests the destination can count. */
  body?: string;
}

/** Writes the rows that the API would write. */
export async function writeFixtures(
  database: Database,
  { secrets, urls, body = bodyTemplate }: FixturesOptions,
): Promise<Fixtures> {
  const workspaceId = randomUUID();
  const alertRuleId = randomUUID();
  const now = new Date();
  const webhooks = urls.map((url, index) => toWebhookRow({ workspaceId, url, body, index, now }, secrets));
  if (webhooks.length > 0) await database.knex('webhooks').insert(webhooks);
  await database.knex('alert_rules').insert({
    id: alertRuleId,
    workspace_id: workspaceId,
    name: 'bench',
    model_id: randomUUID(),
    threshold: 0.4,
    bound: 'upper_bound',
    enabled: true,
    created_at: now,
    updated_at: now,
  });
  const attached = webhooks.map(({ id }, position) => ({
    alert_rule_id: alertRuleId,
    webhook_id: id,
    position,
  }));
  if (attached.length > 0) await database.knex('alert_rule_webhooks').insert(attached);
  return { workspaceId, alertRuleId, webhookIds: webhooks.map(({ id }) => id) };
}

interface WebhookFixture {
  workspaceId: string;
  url: string;
  body: string;
  index: number;
  now: Date;
}

function toWebhookRow({ workspaceId, url, body, index, now }: WebhookFixture, secrets: SecretBox) {
  const id = randomUUID();
  const encrypt = (text: string, column: string) => secrets.encrypt(text, { table: 'webhooks', id, column });
  return {
    id,
    workspace_id: workspaceId,
    name: `bench ${index}`,
    url_encrypted: encrypt(url, 'url'),
    headers_encrypted: encrypt(JSON.stringify(headers), 'headers'),
    body_encrypted: encrypt(body, 'body'),
    destination: new URL(url).origin,
    header_names: Object.keys(headers),
    enabled: true,
    retry_on_timeout: true,
    created_at: now,
    updated_at: now,
    last_updated_by: 'bench',
  };
}
