import { randomUUID } from 'node:crypto';
import type { DeliveryDue } from '@tocsin/contracts';
import type { Database } from '@tocsin/database';
import { redeliver } from '@tocsin/deliveries';
import { decryptAttemptRow, testSecretBox } from '@tocsin/testing/database';
import { createClaimRepository } from '../../../src/delivery/claim-repository.js';
import { createDatabaseFixtures } from '../database-fixtures.js';
import { candidateOf } from '../dispatcher-passes.js';
import type { DeliveryState } from './model.js';

export type RealDeliveries = Awaited<ReturnType<typeof createRealDeliveries>>;

export const deliveryCount = 2;
export const workerCount = 2;

const longLeaseMs = 50_000;
const farFuture = new Date(Date.now() + 86_400_000);

/**
 * Writes the deliveries to the database and starts the leases of the workers. Returns functions that run each step with
 * the worker's repositories.
 */
export async function createRealDeliveries(database: Database) {
  const { knex } = database;
  const claimOptions = { queuedLeaseMs: longLeaseMs, maxAgeMs: longLeaseMs };
  await knex('open_deliveries').delete();
  await knex('workers').delete();
  const fixtures = createDatabaseFixtures(database);
  const webhookId = await fixtures.addWebhook();
  const planned = Array.from({ length: deliveryCount }, () => fixtures.plan([webhookId]));
  await fixtures.write(planned);
  const ids = planned.map(({ deliveries }) => deliveries[0]!.id);
  const workers = Array.from({ length: workerCount }, () => {
    const id = randomUUID();
    const claims = createClaimRepository(database, { ...claimOptions, workerId: id });
    return { id, claims, lease: fixtures.addWorker(id) };
  });
  for (const { lease } of workers) await lease.renew(longLeaseMs);
  const sweeper = fixtures.addWorker();
  const releaseExpired = () => sweeper.releaseExpired({ inFlight: [], releaseBy: farFuture });

  async function read(): Promise<DeliveryState[]> {
    const [deliveries, open, attempts] = await Promise.all([
      knex('deliveries').whereIn('id', ids),
      knex('open_deliveries').whereIn('delivery_id', ids),
      knex('attempts').whereIn('delivery_id', ids).orderBy('number'),
    ]);
    return ids.map((id) => {
      const delivery = deliveries.find((row) => row.id === id);
      const openRow = open.find((row) => row.delivery_id === id);
      const ownAttempts = attempts.filter((row) => row.delivery_id === id);
      expect(delivery.attempts_made).toBe(ownAttempts.length);
      return {
        status: delivery.status,
        run: delivery.run,
        claims: delivery.claims,
        statusCode: delivery.status_code,
        errorCode: delivery.error_code,
        destination: delivery.destination,
        rendered: decrypt(delivery.rendered_encrypted, { table: 'deliveries', id, column: 'rendered' }),
        hasSucceeded: delivery.first_succeeded_at !== null,
        hasFailed: delivery.failed_at !== null,
        open: openRow
          ? {
              run: openRow.run,
              state: openRow.state,
              claim: openRow.claim,
              claimedBy: openRow.claimed_by && workers.findIndex((other) => other.id === openRow.claimed_by),
              claimsWithoutOutcome: openRow.claims_without_outcome,
              step: openRow.step,
              manual: openRow.manual,
              waitingReason: openRow.waiting_reason,
            }
          : null,
        attempts: ownAttempts.map((row) => {
          const { requestBody, responseBody } = decryptAttemptRow(row, fixtures);
          return {
            number: row.number,
            claim: row.claim,
            trigger: row.trigger,
            statusCode: row.status_code,
            requestBody,
            responseBody,
          };
        }),
      };
    });
  }

  function decrypt(bytes: Buffer | null, location: { table: string; id: string; column: string }) {
    return (
      bytes && testSecretBox.decrypt(bytes, { workspaceId: fixtures.workspaceId, ...location }).toString()
    );
  }

  return {
    ids,
    records: fixtures.records,
    read,
    /**
     * Makes all waiting deliveries due, and queues them like the dispatcher. Returns the ids of the queued deliveries.
     */
    async queueAll(): Promise<string[]> {
      await knex('open_deliveries')
        .where({ state: 'waiting' })
        .update({ due_at: new Date(0) });
      const candidate = candidateOf(webhookId, { workspaceId: fixtures.workspaceId, queueBy: farFuture });
      const queued = await fixtures.dispatch.queue([{ candidate, places: deliveryCount }]);
      return queued.map(({ deliveryId }) => deliveryId);
    },
    unqueue: (due: DeliveryDue[]) => fixtures.dispatch.unqueue(due),
    claim: (worker: number, due: DeliveryDue[], token: string) => workers[worker]!.claims.claim(due, token),
    /**
     * Ends a worker without its cleanup, releases its claims with the lease sweep of another worker, and starts a
     * worker with the same id.
     */
    async restart(worker: number): Promise<void> {
      const { id, lease } = workers[worker]!;
      // Queued rows get new leases, so that the death of the worker releases only its claims.
      const fresh = knex.raw(`now() + interval '5 minutes'`);
      await knex('open_deliveries').where({ state: 'queued' }).update({ lease_until: fresh });
      await knex('workers')
        .where({ id })
        .update({ lease_until: new Date(0) });
      await releaseExpired();
      await lease.renew(longLeaseMs);
    },
    /** Expires the leases of all unclaimed queued rows, as if their messages were lost, and releases the rows. */
    async loseMessages(): Promise<void> {
      await knex('open_deliveries')
        .where({ state: 'queued' })
        .whereNull('claimed_by')
        .update({ lease_until: new Date(0) });
      await releaseExpired();
    },
    redeliver: (index: number) => redeliver(database, ids[index]!),
  };
}
