import { randomUUID } from 'node:crypto';
import type { DeliveryDue } from '@tocsin/contracts';
import type { Database } from '@tocsin/database';
import { alertRecordId, deliveryRecordId } from '@tocsin/deliveries';
import { type ResourceScope, useResource } from '@tocsin/testing';
import { insertWebhook, testSecretBox } from '@tocsin/testing/database';
import { type ClaimRepository, createClaimRepository } from '../../src/delivery/claim-repository.js';
import type { ClaimedDelivery } from '../../src/delivery/claimed-delivery.js';
import { createPauseRepository } from '../../src/delivery/pause-repository.js';
import { createRecordRepository } from '../../src/delivery/record-repository.js';
import { createBacklogReader } from '../../src/dispatch/backlog-reader.js';
import { createQueueRepository } from '../../src/dispatch/queue-repository.js';
import { createFanOutRepository } from '../../src/fan-out/fan-out-repository.js';
import type { PlannedAlert, PlannedDelivery } from '../../src/fan-out/plan.js';
import { createLeaseRepository } from '../../src/lease/lease-repository.js';

type LimitedWebhook = Parameters<ClaimRepository['claimLimited']>[0][number];

interface WebhookOptions extends Omit<NonNullable<Parameters<typeof insertWebhook>[1]>, 'workspaceId'> {
  workspace?: string;
}

/** Creates the worker's repositories on one database, and helpers that insert rows. */
export function createDatabaseFixtures(database: Database) {
  const workspaceId = randomUUID();
  const workerId = randomUUID();
  const queuedLeaseMs = 60_000;
  const maxAgeMs = 86_400_000;
  const fanOut = createFanOutRepository(database, { workerId, queuedLeaseMs });
  const addWorker = (id: string = randomUUID()) =>
    createLeaseRepository({
      leaseDatabase: database,
      database,
      worker: { id, name: 'test' },
      queuedLeaseMs,
    });
  const sweeper = addWorker();
  const fixtures = {
    database,
    workspaceId,
    dispatch: createQueueRepository(database, { queuedLeaseMs, maxAgeMs }),
    gauges: createBacklogReader(database),
    claims: createClaimRepository(database, { workerId, queuedLeaseMs, maxAgeMs }),
    workerId,
    addWorker,
    /** Lease of the worker that writes and claims in these fixtures. */
    lease: addWorker(workerId),
    records: createRecordRepository(database, testSecretBox),
    pauses: createPauseRepository(database),

    write: (planned: PlannedAlert[], { acceptedAtMs = Date.now(), token = randomUUID() as string } = {}) =>
      fanOut.write(planned, { acceptedAtMs, token, markedAtMs: undefined }),

    addWebhook: ({ workspace = workspaceId as string, ...fixture }: WebhookOptions = {}) =>
      insertWebhook(database, { workspaceId: workspace, ...fixture }),

    plan(
      webhookIds: string[],
      {
        alertId = randomUUID(),
        acceptedAtMs = Date.now(),
        state = 'waiting' as PlannedDelivery['state'],
        workspace = workspaceId,
      } = {},
    ) {
      const alert = {
        alert_id: alertId,
        workspace_id: workspace,
        fired_at: '2026-01-02T03:04:05Z',
        alert_rule_id: randomUUID(),
        model_id: randomUUID(),
        model_name: 'churn',
        metric_value: 0.5,
      };
      const planned: PlannedAlert = {
        resolved: {
          alert,
          ruleName: 'a rule',
          threshold: 0.4,
          bound: 'upper_bound',
          outcome: 'dispatched',
          webhookIds,
          storedWebhookIds: null,
          cooldownApplies: false,
        },
        recordId: alertRecordId(acceptedAtMs, alert),
        deliveries: webhookIds.map((webhookId) => ({
          id: deliveryRecordId(acceptedAtMs, alert, webhookId),
          webhookId,
          webhookName: 'a webhook',
          destination: 'http://127.0.0.1:9',
          state,
        })),
      };
      return planned;
    },

    /** Reads the webhooks with due deliveries of one workspace, starting at its first webhook. */
    findWebhooks: (workspace = workspaceId) =>
      fixtures.dispatch.findWebhooks(
        [{ workspaceId: workspace, after: '00000000-0000-0000-0000-000000000000' }],
        {
          steps: 100,
          webhooks: 100,
          oldest: 100,
          places: 100,
        },
      ),

    /** Writes a queued delivery. Resolves to its entry in a delivery message. */
    async queueOne(): Promise<DeliveryDue> {
      const planned = fixtures.plan([await fixtures.addWebhook()], { state: 'queued' });
      await fixtures.write([planned]);
      return { deliveryId: planned.deliveries[0]!.id, run: 1 };
    },

    claimLimited: (webhooks: LimitedWebhook[], { token = randomUUID() as string, maxExpired = 1_000 } = {}) =>
      fixtures.claims.claimLimited(webhooks, { token, maxExpired }),

    async claimOne(due: DeliveryDue): Promise<ClaimedDelivery> {
      const [claimed] = await fixtures.claims.claim([due], randomUUID());
      return claimed!;
    },

    /** Runs the lease sweep of another worker. Resolves to the number of released deliveries. */
    async releaseExpired() {
      const { releaseBy } = await sweeper.renew(3_000);
      return sweeper.releaseExpired({ inFlight: [], releaseBy });
    },

    /** Removes the claim from a queued row, as if the claim had been released and the delivery queued again. */
    releaseClaim: (id: string) =>
      database
        .knex('open_deliveries')
        .where({ delivery_id: id })
        .update({ claimed_by: null, claim_token: null }),
    delivery: (id: string) => database.knex('deliveries').where({ id }).first(),
    open: (id: string) => database.knex('open_deliveries').where({ delivery_id: id }).first(),
    attempts: (id: string) => database.knex('attempts').where({ delivery_id: id }).orderBy('number'),
  };
  return fixtures;
}

export type DatabaseFixtures = ReturnType<typeof createDatabaseFixtures>;

/** Creates fixtures with a workspace of their own for each test, or for all tests of a file. */
export const useDatabaseFixtures = (
  db: { database: Database },
  { each = 'test' }: { each?: ResourceScope } = {},
): DatabaseFixtures => useResource({ each, create: () => createDatabaseFixtures(db.database) });
