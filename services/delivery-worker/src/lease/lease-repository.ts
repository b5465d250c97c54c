import { type Database, sqlArray } from '@tocsin/database';

interface WorkerIdentity {
  id: string;
  /** Host and process id, for people who read the table. */
  name: string;
}

export interface LeaseRepository {
  /**
   * Extends the lease of this worker to `leaseMs` from now. Adds the worker's row if it is missing. With `mayLead`
   * false (default), the worker becomes the leader only if no other worker may lead.
   */
  renew(leaseMs: number, mayLead?: boolean): Promise<RenewalResult>;
  /** Removes the row of this worker, so that other workers can release its claims. */
  end(): Promise<void>;
  /**
   * Returns up to 5,000 queued or claimed deliveries to `waiting` if their message or their worker is lost, and removes
   * the rows of workers whose lease has expired. Resolves to the number of released deliveries.
   * - `inFlight`: deliveries that this worker processes. Other claims of this worker are released when the queued lease
   *   of their row (`lease_until`) has expired.
   * - `releaseBy`: time after which the statement changes nothing.
   * - `unpublished`: true if this worker may have queued rows without publishing them. Queued rows older than 1 s are
   *   then released, as after the removal of another worker.
   * - `lostClaims`: claim tokens of statements of this worker whose replies were lost. Their claims are released,
   *   because no worker processes them.
   */
  releaseExpired(options: {
    inFlight: string[];
    releaseBy: Date;
    unpublished?: boolean;
    lostClaims?: string[];
  }): Promise<number>;
}

export interface RenewalResult {
  /** False if the worker had no row, or its lease had expired by the database's clock. */
  wasHeld: boolean;
  /** Time on the database's clock after which expired leases must not be released until the next renewal. */
  releaseBy: Date;
  /**
   * True if this worker is the leader: the oldest of the workers that have a lease and may lead, or the oldest of all
   * if none may.
   */
  leads: boolean;
  /** Number of workers with a lease, this one included. */
  workers: number;
}

interface LeaseRepositoryDeps {
  /** Connections that only the lease uses, so that a renewal never waits until a batch has finished. */
  leaseDatabase: Database;
  database: Database;
  worker: WorkerIdentity;
  queuedLeaseMs: number;
}

export function createLeaseRepository(deps: LeaseRepositoryDeps): LeaseRepository {
  const { leaseDatabase, database, worker, queuedLeaseMs } = deps;
  return {
    async renew(leaseMs, mayLead = false) {
      const values = [worker.id, worker.name, leaseMs, mayLead];
      const [row] = await leaseDatabase.prepared<RenewedRow>(renew, values);
      return {
        wasHeld: row!.was_held,
        releaseBy: row!.release_by,
        leads: row!.leads,
        workers: row!.workers,
      };
    },
    async end() {
      await leaseDatabase.prepared(end, [worker.id]);
    },
    async releaseExpired({ inFlight, releaseBy, unpublished = false, lostClaims = [] }) {
      const values = [
        worker.id,
        sqlArray.uuid(inFlight),
        queuedLeaseMs,
        releaseBy,
        unpublished,
        sqlArray.uuid(lostClaims),
      ];
      return (await database.prepared(releaseExpired, values)).length;
    },
  };
}

// Two concurrent renewals do not see each other's new row or new value of `may_lead`. Both workers can then be leaders
// until their next renewals, one second later.
const renew = {
  name: 'lease.renew',
  text: `
    with before as (select started_at, lease_until from workers where id = $1::uuid
    ), others as (
      select (not w.may_lead, w.started_at, w.id)
               < (not $4::boolean, coalesce((select started_at from before), now()), $1::uuid) as precedes
      from workers w where w.id <> $1::uuid and w.lease_until between now() and now() + interval '1 minute'
    )
    insert into workers (id, name, started_at, lease_until, may_lead)
    values ($1::uuid, $2, now(), now() + $3::float8 * interval '1 millisecond', $4::boolean)
    on conflict (id) do update set lease_until = excluded.lease_until, may_lead = excluded.may_lead
    returning coalesce((select lease_until > now() from before), false) as was_held,
              now() + interval '1 second' as release_by,
              not exists (select from others where precedes) as leads,
              (select count(*)::integer + 1 from others) as workers`,
};

const end = { name: 'lease.end', text: 'delete from workers where id = $1::uuid' };

// Claims: the claim number is kept, so a late worker can still record its outcome until another worker claims the row.
//
// Due time: a row keeps its due time, so that deliveries that became due later do not overtake it. After its second
// claim without an outcome and each later one, a row becomes due at a random time instead. Random times separate the
// delivery that crashes its workers from deliveries that were only in flight at the same time.
//
// Messages: when a worker is removed, queued rows older than 1 s are released, because it may have died before it
// published its rows. It is removed at least 2 s after its death, so all rows that it queued are older than 1 s. The
// queue holds about one second of work, so few other rows are that old. Queued rows older than 1 s are also released if
// this worker may have queued rows without publishing them ($5). A released row can have two messages in the queue. The
// consumer of the second message finds the row claimed or ended, and does nothing.
//
// Clock: if the database's clock is set back, existing leases seem to end far in the future. An unclaimed row is
// released if its lease ends more than ten lease durations from now. The factor of ten allows for other workers with a
// longer configured lease. A worker is removed if its lease ends more than a minute from now; the longest worker lease
// is 10 s.
const releaseExpired = {
  name: 'lease.release-expired',
  text: `
    with alive as materialized (
      select id from workers where lease_until between now() and now() + interval '1 minute'
    ), removed as (
      delete from workers
      where not lease_until between now() and now() + interval '1 minute' and now() < $4::timestamptz
      returning id
    )
    update open_deliveries o
    set state = 'waiting', waiting_reason = case when o.claimed_by is null then 'backlog' else 'crashed' end,
        claimed_by = null, claim_token = null, lease_until = null,
        due_at = case when o.claims_without_outcome > 1
                      then now() + random() * (o.claims_without_outcome - 1) * interval '5 seconds'
                      else least(o.due_at, now()) end
    where o.delivery_id = any(array(
      select q.delivery_id from open_deliveries q
      where q.state = 'queued' and now() < $4::timestamptz and case
        when q.claimed_by is null
          then not q.lease_until between now() and now() + 10 * $3::float8 * interval '1 millisecond'
            or q.lease_until < now() + ($3::float8 - 1000) * interval '1 millisecond'
               and ($5::boolean or exists (select from removed))
        when q.claimed_by = $1::uuid
          then q.claim_token = any($6::uuid[]) or q.lease_until < now() and q.delivery_id <> all($2::uuid[])
        else not exists (select from alive where alive.id = q.claimed_by) end
      limit 5000 for update skip locked))
    returning o.delivery_id`,
};

interface RenewedRow {
  was_held: boolean;
  release_by: Date;
  leads: boolean;
  workers: number;
}
