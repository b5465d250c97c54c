import { randomUUID } from 'node:crypto';
import type { Database, SecretBox } from '@tocsin/database';
import { bodyTemplate, headers } from '../destination/delivery-body.js';

/** A workspace with one rule, and the webhooks attached to it. */
export interface Scene {
  workspaceId: string;
  alertRuleId: string;
  webhookIds: string[];
}

export interface SceneOptions {
  secrets: SecretBox;
  /** One webhook for each; a rule without webhooks calls nobody. */
  urls: string[];
}

/** Writes a scene as the API would; the first url belongs to the first webhook. */
export async function writeScene(database: Database, { secrets, urls }: SceneOptions): Promise<Scene> {
  const workspaceId = randomUUID();
  const alertRuleId = randomUUID();
  const now = new Date();
  const webhooks = urls.map((url, index) => toWebhookRow({ workspaceId, url, index, now }, secrets));
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

function toWebhookRow(
  { workspaceId, url, index, now }: { workspaceId: string; url: string; index: number; now: Date },
  secrets: SecretBox,
) {
  const id = randomUUID();
  const encrypt = (text: string, column: string) => secrets.encrypt(text, { table: 'webhooks', id, column });
  return {
    id,
    workspace_id: workspaceId,
    name: `bench ${index}`,
    url_encrypted: encrypt(url, 'url'),
    headers_encrypted: encrypt(JSON.stringify(headers), 'headers'),
    body_encrypted: encrypt(bodyTemplate, 'body'),
    destination: new URL(url).origin,
    header_names: Object.keys(headers),
    enabled: true,
    retry_on_timeout: true,
    created_at: now,
    updated_at: now,
    last_updated_by: 'bench',
  };
}
