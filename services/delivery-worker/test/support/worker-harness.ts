import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { alertFiredKey, alertsExchange, deliveriesExchange, deliveryDueKey } from '@tocsin/contracts';
import { createLogger, Secret } from '@tocsin/kit';
import {
  alertFiredQueue,
  createBroker,
  createPublisher,
  createQueueDepth,
  deliveriesQueue,
} from '@tocsin/messaging';
import {
  type Program,
  type ResourceScope,
  startHttpReceiver,
  startProgram,
  until,
  useResource,
} from '@tocsin/testing';
import { createTestBroker } from '@tocsin/testing/broker';
import { createTestDatabase, insertAlertRule, testSecretsKeys } from '@tocsin/testing/database';
import { createDeliveryWorker, type DeliveryWorker } from '../../src/app.js';
import type { DeliveryWorkerConfig } from '../../src/config.js';
import { createDatabaseFixtures, type DatabaseFixtures } from './database-fixtures.js';

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/**
 * Creates a database (on the server `serverUrl`, if given), a virtual host of the broker, and a destination that
 * records its requests. The returned functions start workers on them and insert rows.
 */
export async function createWorkerHarness(
  overrides: Partial<DeliveryWorkerConfig> = {},
  { serverUrl }: { serverUrl?: string } = {},
) {
  const db = await createTestDatabase(serverUrl);
  const broker = await createTestBroker();
  const destination = await startHttpReceiver();
  const fixtures = createDatabaseFixtures(db.database);
  const publishing = await createBroker({ url: broker.url, name: 'test' });
  const publisher = await createPublisher(publishing);
  const alertsInQueue = await createQueueDepth(publishing, alertFiredQueue);
  const dueInQueue = await createQueueDepth(publishing, deliveriesQueue);
  await publishing.ready();
  const config: DeliveryWorkerConfig = {
    http: { host: '127.0.0.1', port: 0 },
    metrics: { host: '127.0.0.1', port: 0 },
    logLevel: 'info',
    logSuccessPercent: 100,
    tracingEndpoint: undefined,
    databaseUrl: new Secret(db.url),
    databasePoolSize: 8,
    amqpUrl: new Secret(broker.url),
    secretsKeys: new Secret(testSecretsKeys),
    egress: { allow: ['127.0.0.0/8'], caFile: undefined },
    retry: { scheduleMs: [50, 100, 200], maxAgeMs: 60_000 },
    slots: 100,
    queuedLeaseMs: 60_000,
    openDeliveries: { perWebhook: 100_000, perWorkspace: 1_000_000 },
    retentionDays: 90,
    retentionAttemptsDays: 14,
    retentionArchive: false,
    notices: { noticeAfterMs: 600_000, disableAfterMs: undefined },
    ...overrides,
  };
  const level = process.env.TEST_LOG === undefined ? 'silent' : 'debug';
  const logger = createLogger({ service: 'delivery-worker', level });
  const workers: DeliveryWorker[] = [];
  const programs: Program[] = [];
  const publish = (
    content: Buffer,
    headers: Record<string, string> = {},
    routingKey: string = alertFiredKey,
  ) => publisher.publish({ exchange: alertsExchange, routingKey, content, headers });
  const deliveriesOf = (alertId: string) =>
    db.database.knex('deliveries').where({ alert_id: alertId }).orderBy('id');
  return {
    ...fixtures,
    destination,
    config,
    workers,
    async startWorker(changes: Partial<DeliveryWorkerConfig> = {}) {
      const worker = await createDeliveryWorker({ ...config, ...changes }, { logger });
      workers.push(worker);
      return worker;
    },
    /** Starts the built worker as a separate process. `close` kills the process. */
    startProcess(env: Record<string, string> = {}): Program {
      const program = startProgram(main, {
        HOST: '127.0.0.1',
        PORT: '0',
        METRICS_PORT: '0',
        DATABASE_URL: config.databaseUrl.reveal(),
        AMQP_URL: config.amqpUrl.reveal(),
        SECRETS_KEYS: config.secretsKeys.reveal(),
        EGRESS_ALLOW: config.egress.allow.join(','),
        ...env,
      });
      programs.push(program);
      return program;
    },
    publishRaw: publish,
    publishDue: (content: Buffer) =>
      publisher.publish({ exchange: deliveriesExchange, routingKey: deliveryDueKey, content }),
    whileUnbound: broker.whileUnbound,
    alertsInQueue,
    dueInQueue,
    async addTarget({ path = `/${randomUUID()}`, url = destination.url(path), ...rest }: Target = {}) {
      return { id: await fixtures.addWebhook({ ...rest, url }), path };
    },
    addRule: (
      webhookIds: string[],
      { workspaceId = fixtures.workspaceId as string, ...rest }: RuleOptions = {},
    ) => insertAlertRule(db.database, { webhookIds, workspaceId, ...rest }),
    /** Publishes an alert. Resolves to its alert id. */
    async fire(ruleId: string, changes: object = {}) {
      const alert = alertMessage({ ruleId, workspaceId: fixtures.workspaceId, changes });
      await publish(Buffer.from(JSON.stringify(alert)));
      return alert.alert_id;
    },
    deliveriesOf,
    /** Waits until the alert has `count` deliveries and all of them have ended. Resolves to their rows. */
    settled: (alertId: string, count: number) =>
      until(`${count} deliveries of ${alertId} have ended`, async () => {
        const rows = await deliveriesOf(alertId);
        return rows.length === count && rows.every((row) => row.status !== 'open') && rows;
      }),
    /** Waits until `count` deliveries have ended, with the status `status` if it is given. Resolves to their rows. */
    ended: (count: number, { status, timeoutMs = 15_000 }: { status?: string; timeoutMs?: number } = {}) =>
      until(
        `${count} deliveries have ended`,
        async () => {
          const ended = await db.database.knex('deliveries').whereNot({ status: 'open' });
          const rows = ended.filter((row) => status === undefined || row.status === status);
          return rows.length === count && rows;
        },
        { timeoutMs },
      ),
    alertOf: (alertId: string) => db.database.knex('alerts').where({ alert_id: alertId }).first(),
    async close() {
      for (const { child } of programs) child.kill('SIGKILL');
      await Promise.all(workers.map((worker) => worker.close(12_000)));
      await publishing.close();
      await destination.close();
      await db.drop();
    },
  };
}

export type WorkerHarness = Awaited<ReturnType<typeof createWorkerHarness>>;

/** Creates a harness before all tests of a file, or before each test, and closes it after them. */
export const useWorkerHarness = ({
  each = 'file',
  ...overrides
}: { each?: ResourceScope } & Partial<DeliveryWorkerConfig> = {}): WorkerHarness =>
  useResource({ each, create: () => createWorkerHarness(overrides), close: (harness) => harness.close() });

type Target = Parameters<DatabaseFixtures['addWebhook']>[0] & { path?: string };
type RuleOptions = Omit<NonNullable<Parameters<typeof insertAlertRule>[1]>, 'webhookIds'>;

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
