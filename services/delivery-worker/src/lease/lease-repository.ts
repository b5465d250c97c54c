import { type Database, sqlArray } from '@tocsin/database';

interface WorkerIdentity {
  id: string;
  /** Host and process, for people who read the table. */
  name: string;
}

export interface LeaseRepository {
  /** Extends the lease of this worker to `leaseMs` from now, and adds its row if it is missing. */
  renew(leaseMs: number): Promise<Renewed>;
  /** Removes the row of this worker: its claims are free. */
  end(): Promise<void>;
  /**
   * Sets deliveries back to waiting whose message or worker is lost, and removes the rows of workers without a lease. A
   * worker that died may have queued rows without publishing them, so its removal releases what is still in the queue.
   * Claims of this worker are lost if they are older than a queued lease and not in `inFlight`. After `releaseBy` the
   * statement changes nothing. `unpublished` is true if this worker, too, may have queued rows without publishing them.
   * Returns the number of deliveries.
   */
  releaseExpired(options: { inFlight: string[]; releaseBy: Date; unpublished?: boolean }): Promise<number>;
}

export interface Renewed {
  /** False if the lease had expired, by the database's clock, or had no row. */
  wasHeld: boolean;
  /** Time on the database's clock until which this renewal allows a release of expired leases. */
  releaseBy: Date;
}

interface LeaseRepositoryParts {
  /** Connections for the lease alone, so that a renewal never waits behind a batch. */
  leaseDatabase: Database;
  database: Database;
  worker: WorkerIdentity;
  queuedLeaseMs: number;
}

export function createLeaseRepository(parts: LeaseRepositoryParts): LeaseRepository {
  const { leaseDatabase, database, worker, queuedLeaseMs } = parts;
  return {
    async renew(leaseMs) {
      const [row] = await leaseDatabase.prepared<RenewedRow>(renew, [worker.id, worker.name, leaseMs]);
      return { wasHeld: row!.was_held, releaseBy: row!.release_by };
    },
    async end() {
      await leaseDatabase.prepared(end, [worker.id]);
    },
    async releaseExpired({ inFlight, releaseBy, unpublished = false }) {
      const values = [worker.id, sqlArray.uuid(inFlight), queuedLeaseMs, releaseBy, unpublished];
      return (await database.prepared(releaseExpired, values)).length;
    },
  };
}

const renew = {
  name: 'lease.renew',
  text: `
    with before as (select lease_until from workers where id = $1::uuid)
    insert into workers (id, name, started_at, lease_until)
    values ($1::uuid, $2, now(), now() + $3::float8 * interval '1 millisecond')
    on conflict (id) do update set lease_until = excluded.lease_until
    returning coalesce((select lease_until > now() from before), false) as was_held,
              now() + interval '1 second' as release_by`,
};

const end = { name: 'lease.end', text: 'delete from workers where id = $1::uuid' };

// The claim number is kept, so a late owner can still record its outcome until another worker claims the row. Rows with
// several claims without an outcome become due at random times, which separates the delivery that crashes its workers
// from those that were only in flight at the same time. Other rows keep their time, and so their place before the
// backlog: at its end they would be in flight at the next crash too.
//
// A lease far in the future was given before the database's clock was set back: more than ten queued leases (other
// workers can be configured with longer ones), or a minute for a worker (six times the longest).
//
// A worker is removed at least 2 s after its death. Rows that it queued are older than 1 s by then, while the queue holds
// about one second of work. Rows that this worker queued without learning of it ($5) are released at that age too. A
// second message for a row costs one look at it.
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
        when q.claimed_by = $1::uuid then q.lease_until < now() and q.delivery_id <> all($2::uuid[])
        else not exists (select from alive where alive.id = q.claimed_by) end
      limit 5000 for update skip locked))
    returning o.delivery_id`,
};

interface RenewedRow {
  was_held: boolean;
  release_by: Date;
}
