import { randomUUID } from 'node:crypto';
import { alertFiredKey, alertsExchange, deliveriesExchange, deliveryDueKey } from '@tocsin/contracts';
import { Secret } from '@tocsin/kit';
import {
  alertFiredQueue,
  createBroker,
  createPublisher,
  createQueueDepth,
  deliveriesQueue,
} from '@tocsin/messaging';
import { startHttpReceiver } from '@tocsin/testing';
import { createTestBroker } from '@tocsin/testing/broker';
import { createTestDatabase } from '@tocsin/testing/database';
import { createDeliveryWorker, type DeliveryWorker } from '../../src/app.js';
import type { DeliveryWorkerConfig } from '../../src/config.js';
import { createScene, secrets } from './scene.js';

/** A worker on a real database and broker, with a destination that counts. */
export async function createStage(overrides: Partial<DeliveryWorkerConfig> = {}) {
  const db = await createTestDatabase();
  const broker = await createTestBroker();
  const destination = await startHttpReceiver();
  const scene = createScene(db.database);
  const publishing = await createBroker({ url: broker.url, name: 'test' });
  const publisher = await createPublisher(publishing);
  const alertsInQueue = await createQueueDepth(publishing, alertFiredQueue);
  const dueInQueue = await createQueueDepth(publishing, deliveriesQueue);
  await publishing.ready();
  const config: DeliveryWorkerConfig = {
    http: { host: '127.0.0.1', port: 0 },
    metrics: { host: '127.0.0.1', port: 0 },
    logLevel: process.env.TEST_LOG === undefined ? 'silent' : 'debug',
    databaseUrl: new Secret(db.url),
    databasePoolSize: 8,
    amqpUrl: new Secret(broker.url),
    secretsKeys: new Secret(`k1:${Buffer.alloc(32, 7).toString('base64')}`),
    egress: { allow: ['127.0.0.0/8'] },
    retry: { scheduleMs: [50, 100, 200], jitter: 0.2, maxAgeMs: 60_000 },
    slots: 100,
    leases: { queuedMs: 60_000, claimMs: 30_000 },
    retentionDays: 90,
    ...overrides,
  };
  const workers: DeliveryWorker[] = [];
  const publish = (
    content: Buffer,
    headers: Record<string, string> = {},
    routingKey: string = alertFiredKey,
  ) => publisher.publish({ exchange: alertsExchange, routingKey, content, headers });
  return {
    ...scene,
    destination,
    config,
    workers,
    async startWorker(changes: Partial<DeliveryWorkerConfig> = {}) {
      const worker = await createDeliveryWorker({ ...config, ...changes });
      workers.push(worker);
      return worker;
    },
    publishRaw: publish,
    publishDue: (content: Buffer) =>
      publisher.publish({ exchange: deliveriesExchange, routingKey: deliveryDueKey, content }),
    whileUnbound: broker.whileUnbound,
    alertsInQueue,
    dueInQueue,
    async addTarget({
      path = `/${randomUUID()}`,
      url = destination.url(path),
      headers = {},
      body = '{}',
      ...rest
    }: Target = {}) {
      const id = await scene.addWebhook(rest);
      const encrypt = (text: string, column: string) =>
        secrets.encrypt(text, { table: 'webhooks', id, column });
      await db.database
        .knex('webhooks')
        .where({ id })
        .update({
          url_encrypted: encrypt(url, 'url'),
          headers_encrypted: encrypt(JSON.stringify(headers), 'headers'),
          body_encrypted: encrypt(body, 'body'),
        });
      return { id, path };
    },
    async addRule(
      webhookIds: string[],
      { enabled = true, deleted = false, workspaceId = scene.workspaceId } = {},
    ) {
      const id = randomUUID();
      const now = new Date();
      await db.database.knex('alert_rules').insert({
        id,
        workspace_id: workspaceId,
        name: 'Churn is high',
        model_id: randomUUID(),
        threshold: 0.4,
        bound: 'upper_bound',
        enabled,
        created_at: now,
        updated_at: now,
        deleted_at: deleted ? now : null,
      });
      const rows = webhookIds.map((webhook_id, position) => ({ alert_rule_id: id, webhook_id, position }));
      if (rows.length > 0) await db.database.knex('alert_rule_webhooks').insert(rows);
      return id;
    },
    /** Publishes an alert-fired message; its alert id. */
    async fire(ruleId: string, changes: object = {}) {
      const alert = alertMessage({ ruleId, workspaceId: scene.workspaceId, changes });
      await publish(Buffer.from(JSON.stringify(alert)));
      return alert.alert_id;
    },
    deliveriesOf: (alertId: string) =>
      db.database.knex('deliveries').where({ alert_id: alertId }).orderBy('id'),
    alertOf: (alertId: string) => db.database.knex('alerts').where({ alert_id: alertId }).first(),
    async close() {
      await Promise.all(workers.map((worker) => worker.close(12_000)));
      await publishing.close();
      await destination.close();
      await db.drop();
    },
  };
}

export type Stage = Awaited<ReturnType<typeof createStage>>;

interface Target {
  path?: string;
  url?: string;
  headers?: Record<string, string[]>;
  body?: string;
  enabled?: boolean;
  workspace?: string;
}

export function alertMessage({
  ruleId,
  workspaceId,
  changes = {},
}: {
  ruleId: string;
  workspaceId: string;
  changes?: object;
}) {
  return {
    type: 'alert.fired',
    version: 1,
    alert_id: randomUUID() as string,
    workspace_id: workspaceId,
    fired_at: '2026-01-02T03:04:05.678Z',
    alert_rule_id: ruleId,
    model_id: randomUUID() as string,
    model_name: 'churn "v2"',
    metric_value: 0.4212,
    ...changes,
  };
}
