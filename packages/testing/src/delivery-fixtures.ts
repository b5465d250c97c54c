import { randomUUID } from 'node:crypto';
import { createPartitionsOfDay, type Database, type SecretBox } from '@tocsin/database';
import {
  type AttemptContent,
  alertRecordId,
  decryptAttempt,
  deliveryRecordId,
  encryptAttempt,
  renderedLocation,
} from '@tocsin/deliveries';
import { testSecretBox } from './webhook-fixtures.js';

// Functions that insert alerts, deliveries and attempts as delivery-worker would insert them. Optional fields have
// defaults, and the default ids are random.

export interface AlertFixture {
  workspaceId?: string;
  alertId?: string;
  alertRuleId?: string;
  modelId?: string;
  /**
   * Time of acceptance in Unix milliseconds. Default: one minute ago. Partitions for the day of this time are created
   * if they are missing.
   */
  acceptedAtMs?: number;
  outcome?: string;
  webhookIds?: string[] | null;
  labels?: Record<string, string> | null;
}

/** Inserts an alert and its row in `alert_keys`. The returned `id` is the primary key of the row in `alerts`. */
export async function insertAlert(
  database: Database,
  fixture: AlertFixture = {},
): Promise<{ id: string; alertId: string; workspaceId: string }> {
  const alert = withDefaults(fixture);
  const { workspaceId, alertId, acceptedAtMs } = alert;
  await prepareRecord(database, alert);
  const id = alertRecordId(acceptedAtMs, { workspace_id: workspaceId, alert_id: alertId });
  await database.knex('alerts').insert({
    id,
    workspace_id: workspaceId,
    alert_id: alertId,
    accepted_at: new Date(acceptedAtMs),
    fired_at: '2025-01-31T12:00:00.123456Z',
    alert_rule_id: alert.alertRuleId,
    alert_rule_name: 'Rule',
    model_id: alert.modelId,
    model_name: 'Model',
    metric_value: 0.5,
    threshold: 0.4,
    bound: 'upper_bound',
    outcome: alert.outcome,
    webhook_ids: alert.webhookIds,
    labels: alert.labels,
  });
  return { id, alertId, workspaceId };
}

export interface DeliveryFixture extends AlertFixture {
  webhookId?: string;
  status?: 'open' | 'succeeded' | 'failed' | 'skipped';
  statusCode?: number | null;
  errorCode?: string | null;
  /** Value of the columns `claims` and `attempts_made`. Default: 1 if `response` is a string, otherwise 0. */
  claims?: number;
  /**
   * Response body. If it is a string, an attempt with the number 1 and this response is inserted too. With null, the
   * default, no attempt is inserted.
   */
  response?: string | null;
  requestBody?: string;
  /**
   * Value of `deliveries.destination` (scheme and host). The inserted attempt always has the destination
   * `https://example.test`.
   */
  destination?: string;
  /** Rendered body that is not valid JSON, for `deliveries.rendered_encrypted`. The function encrypts it. */
  rendered?: string;
  secretBox?: SecretBox;
  /** Columns of the row in `open_deliveries`. Used only with the status `open`. */
  open?: object;
}

/**
 * Inserts a delivery and the row of its alert in `alert_keys`, and returns the delivery's id. A delivery with the
 * status `open` also gets a row in `open_deliveries`. By default the delivery has failed with the status code 500.
 */
export async function insertDelivery(database: Database, fixture: DeliveryFixture = {}): Promise<string> {
  const alert = withDefaults(fixture);
  const { webhookId = randomUUID(), status = 'failed', statusCode = 500, response = null, open } = fixture;
  const { errorCode = status === 'failed' ? 'http_status' : null, claims = response === null ? 0 : 1 } =
    fixture;
  const { destination = 'https://example.test', rendered, secretBox = testSecretBox, ...attempt } = fixture;
  const { workspaceId, alertId, acceptedAtMs } = alert;
  const ids = { workspace_id: workspaceId, alert_id: alertId };
  const id = deliveryRecordId(acceptedAtMs, ids, webhookId);
  const alert_record_id = alertRecordId(acceptedAtMs, ids);
  const common = { workspace_id: workspaceId, webhook_id: webhookId, alert_record_id };
  await prepareRecord(database, alert);
  await database.knex('deliveries').insert({
    id,
    ...common,
    alert_id: alertId,
    alert_rule_id: alert.alertRuleId,
    webhook_name: 'Hook',
    destination,
    status,
    attempts_made: claims,
    claims,
    first_succeeded_at: status === 'succeeded' ? new Date() : null,
    failed_at: status === 'failed' ? new Date(acceptedAtMs) : null,
    status_code: statusCode,
    error_code: errorCode,
    error: errorCode,
    rendered_encrypted:
      rendered === undefined ? null : secretBox.encrypt(rendered, renderedLocation({ workspaceId, id })),
  });
  if (status === 'open') {
    const times = { due_at: new Date(Date.now() + anHourMs), opened_at: new Date() };
    const row = { delivery_id: id, ...common, run: 1, state: 'waiting', ...times, claim: claims, ...open };
    await database.knex('open_deliveries').insert(row);
  }
  if (response !== null)
    await insertAttempt(database, { ...attempt, workspaceId, id, number: 1, response, statusCode });
  return id;
}

const anHourMs = 3_600_000;

/** Inserts a row in `workers` and returns its id. A negative `leaseMs` means an expired lease. */
export async function insertWorker({ knex }: Database, { leaseMs = anHourMs } = {}): Promise<string> {
  const id = randomUUID();
  const row = { id, name: 'test', started_at: new Date(), lease_until: new Date(Date.now() + leaseMs) };
  await knex('workers').insert(row);
  return id;
}

export interface AttemptFixture {
  /** Workspace and id of the delivery to which the attempt belongs. */
  workspaceId: string;
  id: string;
  number: number;
  response: string | null;
  statusCode?: number | null;
  requestBody?: string;
  destination?: string;
  responseHeaders?: { location?: string; retryAfter?: string };
  secretBox?: SecretBox;
}

export async function insertAttempt({ knex }: Database, fixture: AttemptFixture): Promise<void> {
  const { workspaceId, id, number, response, statusCode = null, requestBody = '{}' } = fixture;
  const { destination = 'https://example.test', responseHeaders, secretBox = testSecretBox } = fixture;
  const content = { requestBody, responseBody: response ?? '', ...responseHeaders };
  const attempt = { workspaceId, deliveryId: id, claim: number };
  await knex('attempts').insert({
    delivery_id: id,
    claim: number,
    number,
    trigger: 'scheduled',
    started_at: new Date(),
    duration_ms: 12,
    destination,
    exchange_encrypted: encryptAttempt(content, attempt, secretBox),
    status_code: statusCode,
    error_code: null,
    error: null,
  });
}

/** Decrypts the request and response in a row of `attempts`. */
export function decryptAttemptRow(
  row: { delivery_id: string; claim: number; exchange_encrypted: Buffer },
  { workspaceId, secretBox = testSecretBox }: { workspaceId: string; secretBox?: SecretBox },
): AttemptContent {
  const attempt = { workspaceId, deliveryId: row.delivery_id, claim: row.claim };
  return decryptAttempt(row.exchange_encrypted, attempt, secretBox);
}

function withDefaults(fixture: AlertFixture): Required<AlertFixture> {
  return {
    workspaceId: randomUUID(),
    alertId: randomUUID(),
    alertRuleId: randomUUID(),
    modelId: randomUUID(),
    acceptedAtMs: Date.now() - 60_000,
    outcome: 'dispatched',
    webhookIds: null,
    labels: null,
    ...fixture,
  };
}

/**
 * Inserts the row of the alert in `alert_keys`. Creates the partitions for the day of the alert if they are missing.
 * Partitions for other days are not created, because tests count the days that retention drops.
 */
async function prepareRecord({ knex }: Database, alert: Required<AlertFixture>): Promise<void> {
  const { workspaceId, alertId, acceptedAtMs } = alert;
  await knex.transaction((trx) => createPartitionsOfDay(trx, Math.floor(acceptedAtMs / 86_400_000)));
  await knex('alert_keys')
    .insert({ workspace_id: workspaceId, alert_id: alertId, accepted_at: new Date(acceptedAtMs) })
    .onConflict()
    .ignore();
}
