import { isDatabaseUnavailable } from '@tocsin/database';
import type { DatabaseRetry } from '../database-retry.js';
import { newClaimToken } from '../delivery/claim-repository.js';
import type { FanOutRepository } from './fan-out-repository.js';
import type { PlannedAlert } from './planned.js';

export interface WriteDeps {
  repository: FanOutRepository;
  databaseRetry: DatabaseRetry;
}

export interface Written {
  /** The record ids that are there because of it. */
  ids: Set<string>;
  /** Under which rows were written as claimed. */
  token: string;
  leaseEndsAtMs: number;
  /** False where an earlier try may have written them, or another worker. */
  isCertain: boolean;
}

/**
 * Writes until the database answers. A try that is not answered may have been committed, or may yet be, by a statement
 * that lies frozen on the wire: the next one finds its rows and writes nothing. All that was planned is told then, or
 * nobody would announce what stands as queued before its lease has run out; announcing what is another's, or is not
 * there, costs a look at a row.
 */
export async function writeUntilAnswered(
  planned: PlannedAlert[],
  acceptedAtMs: number,
  { repository, databaseRetry }: WriteDeps,
): Promise<Written> {
  const token = newClaimToken();
  if (planned.length === 0) return { ids: new Set(), token, leaseEndsAtMs: 0, isCertain: true };
  let mayBeWritten = false;
  const written = await databaseRetry.whileUnavailable(async () => {
    try {
      return await repository.write(planned, { acceptedAtMs, token });
    } catch (error) {
      mayBeWritten ||= isDatabaseUnavailable(error);
      throw error;
    }
  });
  const ids = mayBeWritten ? idsOf(planned) : written.ids;
  return { ids, token, leaseEndsAtMs: written.leaseEndsAtMs, isCertain: !mayBeWritten };
}

function idsOf(planned: PlannedAlert[]): Set<string> {
  return new Set(
    planned.flatMap(({ recordId, deliveries }) => [recordId, ...deliveries.map((delivery) => delivery.id)]),
  );
}
