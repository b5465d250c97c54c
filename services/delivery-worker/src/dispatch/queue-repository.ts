import type { DeliveryDue } from '@tocsin/contracts';
import type { Database } from '@tocsin/database';
import type { WebhookInWorkspace } from '@tocsin/deliveries';
import {
  type Candidate,
  createDueReader,
  type DueReader,
  dueOf,
  toKey,
  type WebhookKeyRow,
} from './due-reader.js';

interface QueuedDeliveries {
  webhooks: QueuedWebhook[];
  /** Number of queued deliveries that are not claimed. */
  unclaimed: number;
  /** Webhooks in the argument `wanted` of `queued` that have due deliveries. */
  backlogged: WebhookInWorkspace[];
}

interface QueuedWebhook extends WebhookInWorkspace {
  queued: number;
}

export interface QueueRepository extends DueReader {
  /**
   * Postpones up to `limit` due deliveries of each of these webhooks until the pause of the webhook ends, but by five
   * minutes at most.
   */
  postpone(webhooks: WebhookInWorkspace[], limit: number): Promise<void>;
  /** Resolves to false while no delivery is waiting, queued or sending. */
  hasOpen(): Promise<boolean>;
  /**
   * Counts the rows in the state `queued` for each webhook. Also returns the webhooks in `wanted` that have due
   * deliveries.
   */
  queued(wanted: WebhookInWorkspace[]): Promise<QueuedDeliveries>;
  /**
   * Marks the oldest due deliveries of each webhook as queued, up to the number of its places. Rows that another
   * transaction has locked are skipped.
   */
  queue(webhooks: { candidate: Candidate; places: number }[]): Promise<DeliveryDue[]>;
  /** Sets queued deliveries to the state `waiting`, except those that a worker has claimed. */
  unqueue(deliveries: DeliveryDue[]): Promise<void>;
}

export function createQueueRepository(
  database: Database,
  { queuedLeaseMs, maxAgeMs }: { queuedLeaseMs: number; maxAgeMs: number },
): QueueRepository {
  return {
    ...createDueReader(database, maxAgeMs),
    async postpone(webhooks, limit) {
      await database.prepared(postpone, [
        webhooks.map(({ workspaceId }) => workspaceId),
        webhooks.map(({ webhookId }) => webhookId),
        limit,
      ]);
    },
    async hasOpen() {
      const [row] = await database.prepared<{ open: boolean }>(hasOpen, []);
      return row!.open;
    },
    async queued(wanted) {
      const rows = await database.prepared<QueuedRow>(queued, [
        wanted.map(({ workspaceId }) => workspaceId),
        wanted.map(({ webhookId }) => webhookId),
      ]);
      return {
        webhooks: rows.filter((row) => row.queued > 0).map((row) => ({ ...toKey(row), queued: row.queued })),
        unclaimed: rows.reduce((sum, row) => sum + row.unclaimed, 0),
        backlogged: rows.filter((row) => row.queued === 0).map(toKey),
      };
    },
    async queue(webhooks) {
      const rows = await database.prepared<DueRow>(queue, [
        webhooks.map(({ candidate }) => candidate.workspaceId),
        webhooks.map(({ candidate }) => candidate.webhookId),
        webhooks.map(({ places }) => places),
        queuedLeaseMs,
        webhooks[0]?.candidate.queueBy,
      ]);
      return rows.map(toDue);
    },
    async unqueue(deliveries) {
      await database.prepared(unqueue, [
        deliveries.map((due) => due.deliveryId),
        deliveries.map((due) => due.run),
      ]);
    },
  };
}

// The row of the pause is locked until the commit. A concurrent transaction that ends the pause therefore waits for
// this statement. A trigger of the table `webhook_pauses` then makes the postponed deliveries due.
const postpone = {
  name: 'dispatch.postpone',
  text: `
    with pauses as materialized (
      select webhook_id, least(paused_until, now() + interval '5 minutes') as until from webhook_pauses
      where webhook_id = any($2::uuid[]) and paused_until > now()
      order by webhook_id for share skip locked
    )
    update open_deliveries o
    set waiting_reason = 'paused', due_at = (select until from pauses where pauses.webhook_id = o.webhook_id)
    where o.delivery_id = any(array(
      select picked.delivery_id
      from unnest($1::uuid[], $2::uuid[]) as w(workspace_id, webhook_id) join pauses using (webhook_id)
      cross join lateral (${dueOf('w', '$3::integer')} for update skip locked) picked))`,
};

const hasOpen = { name: 'dispatch.has-open', text: 'select exists (select from open_deliveries) as open' };

const queued = {
  name: 'dispatch.queued',
  text: `
    select workspace_id, webhook_id, count(*)::integer as queued,
           (count(*) filter (where claimed_by is null))::integer as unclaimed
    from open_deliveries where state = 'queued' group by workspace_id, webhook_id
    union all
    select wanted.workspace_id, wanted.webhook_id, 0, 0
    from unnest($1::uuid[], $2::uuid[]) as wanted(workspace_id, webhook_id)
    cross join lateral (${dueOf('wanted', '1')}) due`,
};

// After the time `queue_by` ($5) the statement marks no row, because its caller has timed out by then and would not
// publish the marked rows.
const queue = {
  name: 'dispatch.queue',
  text: `
    update open_deliveries o
    set state = 'queued', lease_until = now() + $4::float8 * interval '1 millisecond'
    where o.delivery_id = any(array(
      select picked.delivery_id
      from unnest($1::uuid[], $2::uuid[], $3::integer[]) as q(workspace_id, webhook_id, places)
      cross join lateral (${dueOf('q', 'q.places')} for update skip locked) picked
      where now() < $5::timestamptz))
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

interface QueuedRow extends WebhookKeyRow {
  queued: number;
  unclaimed: number;
}

interface DueRow {
  delivery_id: string;
  run: number;
}

function toDue(row: DueRow): DeliveryDue {
  return { deliveryId: row.delivery_id, run: row.run };
}
