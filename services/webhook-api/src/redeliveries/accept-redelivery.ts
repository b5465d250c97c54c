import { randomUUID } from 'node:crypto';
import type { CreateRedelivery, RedeliveryFilter } from '@tocsin/contracts';
import { type Database, firstIdAt, readClock, recordId } from '@tocsin/database';
import { countRedeliverable } from '@tocsin/deliveries';
import { AppError, invalidBody } from '@tocsin/kit';
import { type SearchLimiter, searchTimeoutMs } from '../lists/search-limiter.js';
import type { RedeliveriesRepository, StoredRedelivery } from './redeliveries-repository.js';

export interface AcceptRedeliveryDeps {
  repository: Pick<RedeliveriesRepository, 'add'>;
  searches: SearchLimiter;
  database: Database;
}

interface AcceptRedelivery {
  workspaceId: string;
  body: CreateRedelivery;
  createdBy: string;
}

const maxCounted = 100_000;
const maxRunning = 10;

/**
 * Accepts a job that sends ended deliveries again. Its filter is fixed at acceptance.
 * @throws AppError `validation_failed` for a filter that names nothing but a status, unless `all` is true; `conflict` when
 * the workspace has 10 running jobs
 */
export function createAcceptRedelivery({ repository, searches, database }: AcceptRedeliveryDeps) {
  return async ({ workspaceId, body, createdBy }: AcceptRedelivery): Promise<StoredRedelivery> => {
    requireFilter(body);
    // Ids of deliveries contain the time of the database's clock.
    const nowMs = await readClock(database);
    const filter = fixFilter(body, nowMs);
    const matched = await searches.run(workspaceId, () =>
      countRedeliverable(database, { workspaceId, filter, max: maxCounted, timeoutMs: searchTimeoutMs }),
    );
    const id = recordId(nowMs, randomUUID());
    const cursor = firstIdAt(Date.parse(filter.until));
    const job = await repository.add({ id, workspaceId, filter, matched, createdBy, cursor }, maxRunning);
    if (job !== undefined) return job;
    const detail = `This workspace has ${maxRunning} running redeliveries; wait until one has ended.`;
    throw new AppError('conflict', detail);
  };
}

function requireFilter({ status = 'failed', all, ...filter }: CreateRedelivery): void {
  if (all === true || Object.values(filter).some((value) => value !== undefined)) return;
  const message = `must have a filter besides status, or "all": true to send every ${status} delivery of the workspace again`;
  throw invalidBody([{ path: '', message }]);
}

/** Limits the range to deliveries accepted before the job. */
function fixFilter({ all, ...filter }: CreateRedelivery, nowMs: number): RedeliveryFilter {
  const untilMs = filter.until === undefined ? nowMs : Math.min(Date.parse(filter.until), nowMs);
  return { ...filter, status: filter.status ?? 'failed', until: new Date(untilMs).toISOString() };
}
