import { randomBytes, randomUUID } from 'node:crypto';
import { createSecretBox, type Database, parseSecretKeys, type SecretBox } from '@tocsin/database';
import { signingSecretLocation, webhookLocation } from '@tocsin/deliveries';

// Functions that insert webhooks and alert rules as webhook-api would insert them. Optional fields have defaults, and
// the default ids are random.

/** A valid value of SECRETS_KEYS. `testSecretBox` encrypts with this key. */
export const testSecretsKeys = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
export const testSecretBox = createSecretBox(parseSecretKeys(testSecretsKeys));

export interface WebhookFixture {
  id?: string;
  workspaceId?: string;
  url?: string;
  /** Header values by name. */
  headers?: Record<string, string[]>;
  body?: string;
  enabled?: boolean;
  secretBox?: SecretBox;
  /** Values of other columns, by column name. */
  columns?: object;
}

/** Inserts a webhook and returns its id. */
export async function insertWebhook({ knex }: Database, fixture: WebhookFixture = {}): Promise<string> {
  const { workspaceId = randomUUID(), url = 'http://127.0.0.1:9/', headers = {}, body = '{}' } = fixture;
  const { enabled = true, secretBox = testSecretBox, id = randomUUID() } = fixture;
  const encrypt = (text: string, column: 'url' | 'headers' | 'body') =>
    secretBox.encrypt(text, webhookLocation({ workspaceId, id }, column));
  const now = new Date();
  await knex('webhooks').insert({
    id,
    workspace_id: workspaceId,
    name: 'a webhook',
    url_encrypted: encrypt(url, 'url'),
    headers_encrypted: encrypt(JSON.stringify(headers), 'headers'),
    body_encrypted: encrypt(body, 'body'),
    destination: new URL(url).origin,
    header_names: Object.keys(headers),
    enabled,
    retry_on_timeout: true,
    created_at: now,
    updated_at: now,
    last_updated_by: 'test',
    ...fixture.columns,
  });
  return id;
}

export interface SigningSecretFixture {
  workspaceId: string;
  webhookId: string;
  /** Time at which the secret expires. Null, the default, means that it does not expire. */
  expiresAt?: Date | null;
  secretBox?: SecretBox;
}

/** Inserts a signing secret of a webhook and returns the secret. */
export async function insertSigningSecret(
  { knex }: Database,
  { workspaceId, webhookId, expiresAt = null, secretBox = testSecretBox }: SigningSecretFixture,
): Promise<string> {
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const id = randomUUID();
  await knex('webhook_signing_secrets').insert({
    id,
    webhook_id: webhookId,
    secret_encrypted: secretBox.encrypt(secret, signingSecretLocation({ workspaceId, id })),
    created_at: new Date(),
    expires_at: expiresAt,
  });
  await knex('webhooks').where({ id: webhookId }).increment('version');
  return secret;
}

export interface AlertRuleFixture {
  workspaceId?: string;
  webhookIds?: string[];
  enabled?: boolean;
  deleted?: boolean;
  /** Values of other columns, by column name. */
  columns?: object;
}

/** Inserts an alert rule and returns its id. */
export async function insertAlertRule({ knex }: Database, fixture: AlertRuleFixture = {}): Promise<string> {
  const { workspaceId = randomUUID(), webhookIds = [], enabled = true, deleted = false } = fixture;
  const id = randomUUID();
  const now = new Date();
  await knex('alert_rules').insert({
    id,
    workspace_id: workspaceId,
    name: 'Churn is high',
    model_id: randomUUID(),
    threshold: 0.4,
    bound: 'upper_bound',
    enabled,
    created_at: now,
    updated_at: now,
    last_updated_by: 'test',
    deleted_at: deleted ? now : null,
    ...fixture.columns,
  });
  const links = webhookIds.map((webhook_id, position) => ({ alert_rule_id: id, webhook_id, position }));
  if (links.length > 0) await knex('alert_rule_webhooks').insert(links);
  return id;
}
