import type { DeliveryDue } from '@tocsin/contracts';
import type { Database } from '@tocsin/database';
import type { Contender } from './round-robin.js';

/** A webhook with deliveries due. */
export interface Candidate extends Contender {
  /** True if the webhook was paused and the pause is over: single requests probe it. */
  probing: boolean;
  /** Time on the database's clock until which this result may be used to queue deliveries. */
  queueBy: Date;
}

/**
 * Deliveries and webhooks that wait. Up to 100,000 deliveries of paused webhooks and as many of others are counted, so
 * that paused ones hide nothing.
 */
export interface Backlog {
  due: number;
  /** Number of deliveries that have been due for more than a minute although their webhook is not paused. */
  overdue: number;
  oldestDueSeconds: number;
  openCircuits: number;
  /** Number of webhooks whose destination asked for a pause. */
  retryAfters: number;
}

export interface DispatchRepository {
  /** Finds webhooks that have deliveries due and are not paused. At most `limit` deliveries of each are counted. */
  survey(limit: number): Promise<Candidate[]>;
  /** Counts the queued deliveries without a recorded outcome: by webhook, and in total those that are not claimed. */
  queued(): Promise<{ byWebhook: Map<string, number>; unclaimed: number }>;
  /** Marks due deliveries as queued, oldest first within each quota. Rows that are locked are skipped. */
  queue(quotas: { contender: Candidate; quota: number }[]): Promise<DeliveryDue[]>;
  /** Sets queued deliveries that are not claimed back to waiting. */
  unqueue(deliveries: DeliveryDue[]): Promise<void>;
  /** Counts the waiting deliveries and webhooks for the metrics. */
  backlog(): Promise<Backlog>;
}

export function createDispatchRepository(database: Database, queuedLeaseMs: number): DispatchRepository {
  return {
    async survey(limit) {
      const rows = await database.prepared<CandidateRow>(survey, [limit]);
      return rows.map(toCandidate);
    },
    async queued() {
      const rows = await database.prepared<QueuedRow>(queued, []);
      return {
        byWebhook: new Map(rows.map((row) => [row.webhook_id, row.queued])),
        unclaimed: rows.reduce((sum, row) => sum + row.unclaimed, 0),
      };
    },
    async queue(quotas) {
      const rows = await database.prepared<DueRow>(queue, [
        quotas.map(({ contender }) => contender.workspaceId),
        quotas.map(({ contender }) => contender.webhookId),
        quotas.map(({ quota }) => quota),
        queuedLeaseMs,
        quotas[0]?.contender.queueBy,
      ]);
      return rows.map(toDue);
    },
    async unqueue(deliveries) {
      await database.prepared(unqueue, [
        deliveries.map((due) => due.deliveryId),
        deliveries.map((due) => due.run),
      ]);
    },
    async backlog() {
      const [row] = await database.prepared<BacklogRow>(backlog, []);
      return {
        due: row?.due ?? 0,
        overdue: row?.overdue ?? 0,
        oldestDueSeconds: row?.oldest ?? 0,
        openCircuits: row?.open_circuits ?? 0,
        retryAfters: row?.retry_afters ?? 0,
      };
    },
  };
}

// A loose index scan: one index step for each webhook with waiting deliveries, to its oldest row.
const pairs = `
    with recursive pairs as (
      (select workspace_id, webhook_id, due_at from open_deliveries where state = 'waiting'
       order by workspace_id, webhook_id, due_at limit 1)
      union all
      select next.workspace_id, next.webhook_id, next.due_at from pairs cross join lateral (
        select o.workspace_id, o.webhook_id, o.due_at from open_deliveries o
        where o.state = 'waiting' and (o.workspace_id, o.webhook_id) > (pairs.workspace_id, pairs.webhook_id)
        order by o.workspace_id, o.webhook_id, o.due_at limit 1) next
    )`;

const survey = {
  name: 'dispatch.survey',
  text: `${pairs}
    select pairs.workspace_id, pairs.webhook_id, due.count::integer as due, p.webhook_id is not null as probing,
           clock_timestamp() + interval '10 seconds' as queue_by
    from pairs
    left join webhook_pauses p on p.webhook_id = pairs.webhook_id
    cross join lateral (
      select count(*) from (
        select from open_deliveries o
        where o.state = 'waiting' and o.workspace_id = pairs.workspace_id and o.webhook_id = pairs.webhook_id
          and o.due_at <= now() limit $1) counted) due
    where due.count > 0 and (p.paused_until is null or p.paused_until <= now())`,
};

const queued = {
  name: 'dispatch.queued',
  text: `
    select webhook_id, count(*)::integer as queued, (count(*) filter (where claimed_by is null))::integer as unclaimed
    from open_deliveries where state = 'queued' group by webhook_id`,
};

// `queue_by` stops a statement that arrives late, after its sender gave up: nobody would publish the rows that it marks.
const queue = {
  name: 'dispatch.queue',
  text: `
    update open_deliveries o
    set state = 'queued', lease_until = now() + $4::float8 * interval '1 millisecond'
    where o.delivery_id = any(array(
      select picked.delivery_id
      from unnest($1::uuid[], $2::uuid[], $3::integer[]) as q(workspace_id, webhook_id, quota)
      cross join lateral (
        select delivery_id from open_deliveries
        where state = 'waiting' and workspace_id = q.workspace_id and webhook_id = q.webhook_id and due_at <= now()
          and now() < $5::timestamptz
        order by due_at limit q.quota for update skip locked) picked))
    returning o.delivery_id, o.run`,
};

const unqueue = {
  name: 'dispatch.unqueue',
  text: `
    update open_deliveries o set state = 'waiting', waiting_reason = 'backlog', lease_until = null
    from unnest($1::uuid[], $2::integer[]) as u(delivery_id, run)
    where o.delivery_id = any($1::uuid[]) and o.delivery_id = u.delivery_id and o.run = u.run
      and o.state is not distinct from 'queued' and o.claimed_by is null`,
};

const dueOf = (webhooks: string) => `
      select o.due_at from webhooks_due w cross join lateral (
        select due_at from open_deliveries
        where state = 'waiting' and workspace_id = w.workspace_id and webhook_id = w.webhook_id and due_at <= now()
        limit 100000) o
      where ${webhooks} limit 100000`;

const backlog = {
  name: 'dispatch.backlog',
  text: `${pairs}, webhooks_due as (
      select pairs.*, p.webhook_id is not null as paused
      from pairs left join webhook_pauses p using (webhook_id) where pairs.due_at <= now()
    ), free as (${dueOf('not w.paused')}
    ), paused as (${dueOf('w.paused')}
    )
    select ((select count(*) from free) + (select count(*) from paused))::integer as due,
           (select count(*)::integer from free where due_at < now() - interval '1 minute') as overdue,
           coalesce((select extract(epoch from now() - min(due_at)) from webhooks_due where not paused), 0)::float8 as oldest,
           (select count(*)::integer from webhook_pauses where reason = 'circuit') as open_circuits,
           (select count(*)::integer from webhook_pauses
            where reason = 'retry_after' and paused_until > now()) as retry_afters`,
};

interface BacklogRow {
  due: number;
  overdue: number;
  oldest: number;
  open_circuits: number;
  retry_afters: number;
}

interface QueuedRow {
  webhook_id: string;
  queued: number;
  unclaimed: number;
}

interface CandidateRow {
  workspace_id: string;
  webhook_id: string;
  due: number;
  probing: boolean;
  queue_by: Date;
}

interface DueRow {
  delivery_id: string;
  run: number;
}

function toCandidate(row: CandidateRow): Candidate {
  return {
    workspaceId: row.workspace_id,
    webhookId: row.webhook_id,
    due: row.due,
    probing: row.probing,
    queueBy: row.queue_by,
  };
}

function toDue(row: DueRow): DeliveryDue {
  return { deliveryId: row.delivery_id, run: row.run };
}
