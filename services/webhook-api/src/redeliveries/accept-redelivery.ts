import { randomUUID } from 'node:crypto';
import type { CreateRedelivery, RedeliveryFilter } from '@tocsin/contracts';
import { firstIdAt, recordId } from '@tocsin/database';
import { AppError } from '@tocsin/kit';
import type { Searches } from '../lists/searches.js';
import type { RedeliveriesRepository, StoredRedelivery } from './redeliveries-repository.js';

export interface AcceptRedeliveryDeps {
  repository: Pick<RedeliveriesRepository, 'add'>;
  searches: Searches;
  /** How many ended deliveries match, counted to `max`. */
  countMatching(options: { workspaceId: string; filter: RedeliveryFilter; max: number }): Promise<number>;
  /** The database's clock, by which deliveries have their ids; in Unix milliseconds. */
  now: () => Promise<number>;
}

interface AcceptRedelivery {
  workspaceId: string;
  body: CreateRedelivery;
  createdBy: string;
}

const maxCounted = 100_000;
const maxRunning = 10;

/**
 * Takes in a job that sends ended deliveries again; a worker carries it out. What it covers is fixed now.
 * @throws AppError `conflict` where the workspace has 10 jobs running.
 */
export function createAcceptRedelivery({ repository, searches, countMatching, now }: AcceptRedeliveryDeps) {
  return async ({ workspaceId, body, createdBy }: AcceptRedelivery): Promise<StoredRedelivery> => {
    const atMs = await now();
    const filter = fixFilter(body, atMs);
    const matched = await searches.run(workspaceId, () =>
      countMatching({ workspaceId, filter, max: maxCounted }),
    );
    const job = await repository.add(
      {
        id: recordId(atMs, randomUUID()),
        workspaceId,
        filter,
        matched,
        createdBy,
        cursor: firstIdAt(Date.parse(filter.until)),
      },
      maxRunning,
    );
    if (job !== undefined) return job;
    throw new AppError(
      'conflict',
      `This workspace has ${maxRunning} redeliveries running; let one end first.`,
    );
  };
}

/** Nothing that is accepted from now on is covered: the end of the range is now at the latest. */
function fixFilter(body: CreateRedelivery, nowMs: number): RedeliveryFilter {
  const untilMs = body.until === undefined ? nowMs : Math.min(Date.parse(body.until), nowMs);
  return { ...body, status: body.status ?? 'failed', until: new Date(untilMs).toISOString() };
}
