import { randomUUID } from 'node:crypto';
import { createSecretBox, type Database, parseSecretKeys, recordId, type SecretBox } from '@tocsin/database';
import { workspaceId as ownWorkspaceId } from './api.js';

export interface SeededAlert {
  workspaceId?: string;
  alertId?: string;
  alertRuleId?: string;
  acceptedAtMs?: number;
  outcome?: string;
}

export interface SeededDelivery extends SeededAlert {
  webhookId?: string;
  status?: 'open' | 'succeeded' | 'failed' | 'skipped';
  statusCode?: number | null;
  errorCode?: string | null;
  /** Of the last attempt; none is made without. */
  response?: string | null;
  requestBody?: string;
  /** Columns of the open row; there is one when the status is `open`. */
  open?: object;
}

const anHourMs = 3_600_000;

/** An alert as the worker writes it; its alert_id. */
export async function seedAlert(database: Database, seed: SeededAlert = {}): Promise<string> {
  const { workspaceId, alertId, alertRuleId, acceptedAtMs, outcome } = withDefaults(seed);
  await seedKey(database, { workspaceId, alertId, acceptedAtMs });
  await database.knex('alerts').insert({
    id: recordId(acceptedAtMs, `${workspaceId}/${alertId}`),
    workspace_id: workspaceId,
    alert_id: alertId,
    accepted_at: new Date(acceptedAtMs),
    fired_at: '2025-01-31T12:00:00.123456Z',
    alert_rule_id: alertRuleId,
    alert_rule_name: 'Rule',
    model_id: randomUUID(),
    model_name: 'Model',
    metric_value: 0.5,
    threshold: 0.4,
    bound: 'upper_bound',
    outcome,
  });
  return alertId;
}

/** A delivery as the worker writes it, with one attempt where a response is given; its id. */
export async function seedDelivery(database: Database, seed: SeededDelivery = {}): Promise<string> {
  const { workspaceId, alertId, alertRuleId, acceptedAtMs } = withDefaults(seed);
  const { webhookId = randomUUID(), status = 'failed', statusCode = 500, response = null, open } = seed;
  const { errorCode = status === 'failed' ? 'http_status' : null } = seed;
  const id = recordId(acceptedAtMs, `${workspaceId}/${alertId}/${webhookId}`);
  const made = response === null ? 0 : 1;
  await seedKey(database, { workspaceId, alertId, acceptedAtMs });
  await database.knex('deliveries').insert({
    id,
    workspace_id: workspaceId,
    alert_id: alertId,
    alert_record_id: recordId(acceptedAtMs, `${workspaceId}/${alertId}`),
    alert_rule_id: alertRuleId,
    webhook_id: webhookId,
    webhook_name: 'Hook',
    destination: 'https://example.test',
    status,
    attempts_made: made,
    claims: made,
    first_succeeded_at: status === 'succeeded' ? new Date() : null,
    failed_at: status === 'failed' ? new Date(acceptedAtMs) : null,
    status_code: statusCode,
    error_code: errorCode,
    error: errorCode,
  });
  if (status === 'open') {
    const row = {
      delivery_id: id,
      workspace_id: workspaceId,
      webhook_id: webhookId,
      run: 1,
      state: 'waiting',
    };
    const alertRecordId = recordId(acceptedAtMs, `${workspaceId}/${alertId}`);
    const times = { due_at: new Date(Date.now() + anHourMs), opened_at: new Date() };
    await database
      .knex('open_deliveries')
      .insert({ ...row, ...times, alert_record_id: alertRecordId, claim: made, ...open });
  }
  if (response !== null) await seedAttempt(database, { id, number: 1, response, statusCode, ...seed });
  return id;
}

export interface SeededAttempt {
  id: string;
  number: number;
  response: string | null;
  statusCode?: number | null;
  requestBody?: string;
  box?: SecretBox;
}

export async function seedAttempt(
  database: Database,
  { id, number, response, statusCode, requestBody, box = testBox }: SeededAttempt,
) {
  const location = { table: 'attempts', id: `${id}/${number}`, column: 'request_body' };
  await database.knex('attempts').insert({
    delivery_id: id,
    claim: number,
    number,
    trigger: 'scheduled',
    started_at: new Date(),
    duration_ms: 12,
    request_body_encrypted: box.encrypt(requestBody ?? '{}', location),
    status_code: statusCode ?? null,
    response,
    error_code: null,
    error: null,
  });
}

/** With the key of `testConfig`. */
const testBox = createSecretBox(parseSecretKeys(`k1:${Buffer.alloc(32, 7).toString('base64')}`));
/** Encrypts with a key that the service does not have. */
export const foreignBox = createSecretBox(parseSecretKeys(`k9:${Buffer.alloc(32, 9).toString('base64')}`));

function withDefaults(seed: SeededAlert): Required<SeededAlert> {
  return {
    workspaceId: ownWorkspaceId,
    alertId: randomUUID(),
    alertRuleId: randomUUID(),
    acceptedAtMs: Date.now() - 60_000,
    outcome: 'dispatched',
    ...seed,
  };
}

async function seedKey(
  { knex }: Database,
  { workspaceId, alertId, acceptedAtMs }: { workspaceId: string; alertId: string; acceptedAtMs: number },
): Promise<void> {
  const accepted_at = new Date(acceptedAtMs);
  await knex('alert_keys')
    .insert({ workspace_id: workspaceId, alert_id: alertId, accepted_at })
    .onConflict()
    .ignore();
}
