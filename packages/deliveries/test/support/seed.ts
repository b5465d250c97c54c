import { randomUUID } from 'node:crypto';
import { type Database, recordId, timeOfRecordId } from '@tocsin/database';

export interface Seed {
  workspaceId: string;
  webhookId?: string;
  alertRuleId?: string;
  alertId?: string;
  acceptedAtMs?: number;
  status?: 'succeeded' | 'failed' | 'skipped';
  statusCode?: number;
  claims?: number;
}

/** A delivery that has ended, with the key of its alert; its id. */
export async function seedEnded(database: Database, seed: Seed): Promise<string> {
  const {
    workspaceId,
    webhookId = randomUUID(),
    alertRuleId = randomUUID(),
    alertId = randomUUID(),
    acceptedAtMs = Date.now() - 60_000,
    status = 'failed',
    statusCode = 500,
    claims = 1,
  } = seed;
  const id = recordId(acceptedAtMs, `${workspaceId}/${alertId}/${webhookId}`);
  await database
    .knex('alert_keys')
    .insert({ workspace_id: workspaceId, alert_id: alertId, accepted_at: new Date(acceptedAtMs) })
    .onConflict()
    .ignore();
  await database.knex('deliveries').insert({
    id,
    workspace_id: workspaceId,
    alert_id: alertId,
    alert_record_id: recordId(acceptedAtMs, `${workspaceId}/${alertId}`),
    alert_rule_id: alertRuleId,
    webhook_id: webhookId,
    webhook_name: 'Hook',
    destination: 'http://example.test',
    status,
    attempts_made: claims,
    claims,
    failed_at: status === 'failed' ? new Date(timeOfRecordId(id) + 1_000) : null,
    status_code: statusCode,
  });
  return id;
}

export async function openRow(database: Database, id: string) {
  return database.knex('open_deliveries').where({ delivery_id: id }).first();
}

export async function deliveryRow(database: Database, id: string) {
  return database.knex('deliveries').where({ id }).first();
}
