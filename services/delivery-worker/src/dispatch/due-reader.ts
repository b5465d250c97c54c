import { type Database, lowestId } from '@tocsin/database';
import type { WebhookInWorkspace } from '@tocsin/deliveries';
import { hasNoPauseWithin } from '../delivery/claim-repository.js';
import type { DueWebhook } from './round-robin.js';

/**
 * A webhook that has due deliveries and is not paused. If it has a rate limit, the limit allows a request now, or the
 * oldest delivery has expired and is claimed without a request.
 */
export interface Candidate extends DueWebhook {
  /**
   * True if the webhook was found by the scan of webhooks in the order of their ids. False if it was found only because
   * one of the oldest due deliveries of its workspace belongs to it.
   */
  isFromScan: boolean;
  /**
   * True if a pause of the webhook has ended and no response has shown since then that the destination works. Such a
   * webhook gets one request at a time, as a probe.
   */
  probing: boolean;
  /**
   * Number of the oldest due deliveries of a probing webhook that have certainly expired, up to a maximum. They end
   * without a request, so the dispatcher can queue them in addition to the probe. The number is 0 if a manual pause has ended
   * within the maximum age, because their expiry is then uncertain. It is also 0 for a webhook with a rate limit,
   * because its deliveries do not pass through the queue.
   */
  expired: number;
  /**
   * True if the webhook has a rate limit: the dispatcher claims and starts its deliveries, and they do not pass through
   * the queue.
   */
  limited: boolean;
  /** Time on the database's clock until which deliveries may be queued based on this result. */
  queueBy: Date;
}

/** One workspace to read. Only its webhooks with ids above `after` are scanned. */
export interface Visit {
  workspaceId: string;
  after: string;
}

/** Limits on the rows that one call of `findWebhooks` reads. */
export interface VisitLimits {
  /** Maximum number of webhooks with waiting deliveries that the scan reads in each workspace. */
  steps: number;
  /** Maximum number of webhooks with due deliveries that the scan finds in each workspace. */
  webhooks: number;
  /**
   * Number of due deliveries to read in each workspace, oldest first, in order to find webhooks that the scan did not
   * reach. Nothing is read in a workspace in which the scan has found `webhooks` webhooks already.
   */
  oldest: number;
  /**
   * Number of deliveries that each workspace may add to the queue. At most about twice this number of due deliveries is
   * counted in a workspace.
   */
  places: number;
}

export interface ScanResult {
  /**
   * Webhooks in the order of the visits. Within a workspace, webhooks found by the scan come first, in the order of
   * their ids.
   */
  candidates: Candidate[];
  /** Paused webhooks that have due deliveries. */
  paused: WebhookInWorkspace[];
  /**
   * True if a webhook that has a rate limit and is not paused has due deliveries, even if the limit allows no request
   * now.
   */
  hasLimited: boolean;
  /**
   * For each workspace, the id of the last webhook that the scan read. The next visit continues after this webhook. The
   * id is undefined if the scan reached the end of the workspace.
   */
  scannedTo: Map<string, string | undefined>;
}

export interface DueReader {
  /**
   * Reads up to `steps` workspaces with waiting deliveries, in the order of their ids. Returns those that have due
   * deliveries, at most `workspaces`. Reading starts after the workspace `after`, or at the first workspace if `after`
   * is undefined. `next` is the value of `after` for the next call; it is undefined after the last workspace.
   */
  findWorkspaces(options: {
    after: string | undefined;
    steps: number;
    workspaces: number;
  }): Promise<{ workspaceIds: string[]; next: string | undefined }>;
  /** Finds the webhooks with due deliveries in the visited workspaces. */
  findWebhooks(visits: Visit[], limits: VisitLimits): Promise<ScanResult>;
}

/** Deliveries older than `maxAgeMs` have expired, if no manual pause has ended since then. */
export function createDueReader(database: Database, maxAgeMs: number): DueReader {
  return {
    async findWorkspaces({ after, steps, workspaces }) {
      const rows = await database.prepared<WorkspaceRow>(findWorkspaces, [
        after ?? lowestId,
        after === undefined ? '-infinity' : 'infinity',
        steps,
        workspaces,
      ]);
      const last = rows.at(-1);
      return {
        workspaceIds: rows.filter((row) => row.is_due).map((row) => row.workspace_id),
        next: last?.is_partial ? last.workspace_id : undefined,
      };
    },
    async findWebhooks(visits, { steps, webhooks, oldest, places }) {
      const rows = await database.prepared<WebhookScanRow>(findWebhooks, [
        visits.map(({ workspaceId }) => workspaceId),
        visits.map(({ after }) => after),
        steps,
        webhooks,
        oldest,
        places,
        maxAgeMs,
      ]);
      const ends = rows.filter((row) => row.kind === 'partial' || row.kind === 'complete');
      return {
        candidates: rows.filter((row) => row.kind === 'due').map(toCandidate),
        paused: rows.filter((row) => row.kind === 'paused').map(toKey),
        hasLimited: rows.some((row) => row.limited === true && row.kind !== 'paused'),
        scannedTo: new Map(
          ends.map((row) => [row.workspace_id, row.kind === 'partial' ? row.webhook_id : undefined]),
        ),
      };
    },
  };
}

// A loose index scan reads one index entry for each workspace, or webhook, with waiting deliveries (docs/adr/0030).
const findWorkspaces = {
  name: 'dispatch.find-workspaces',
  text: `
    with recursive scan as (
      (select workspace_id, due_at, 1 as steps, (due_at <= now())::integer as found
       from open_deliveries where state = 'waiting' and (workspace_id, due_at) > ($1::uuid, $2::timestamptz)
       order by workspace_id, due_at nulls first limit 1)
      union all
      select next.workspace_id, next.due_at, scan.steps + 1, scan.found + (next.due_at <= now())::integer
      from scan cross join lateral (
        select o.workspace_id, o.due_at from open_deliveries o
        where o.state = 'waiting' and o.workspace_id > scan.workspace_id
        order by o.workspace_id, o.due_at nulls first limit 1) next
      where scan.steps < $3::integer and scan.found < $4::integer
    )
    select workspace_id, due_at <= now() as is_due, steps = $3::integer or found = $4::integer as is_partial
    from scan where due_at <= now() or steps = (select max(steps) from scan)
    order by steps`,
};

/** Returns the SQL that reads the deliveries of one webhook that were due at the time `at`, oldest first. */
export const dueOf = (webhook: string, limit: string, at = 'now()') => `
        select o.delivery_id from open_deliveries o
        where o.state = 'waiting' and o.workspace_id = ${webhook}.workspace_id and o.webhook_id = ${webhook}.webhook_id
          and o.due_at <= ${at}
        order by o.due_at limit ${limit}`;

// SQL for the maximum number of due deliveries to count for a webhook. It is 0 if the count is not needed, because the
// webhook is paused, can get only one place, or is found only because of expired deliveries, which need no places.
const countedOfEach = `case when found.most < 2 or pause.paused_until > now() or rate.next_at > now()
      then 0 else found.most end`;

const maxAge = `$7::float8 * interval '1 millisecond'`;

// SQL that is true if the oldest delivery of a webhook has certainly expired. `claimLimited` claims such a delivery
// even if the rate limit allows no request.
const hasExpired = `coalesce((
      select o.due_at < now() - ${maxAge} from open_deliveries o
      where o.state = 'waiting' and o.workspace_id = found.workspace_id and o.webhook_id = found.webhook_id
      order by o.due_at limit 1), false)
      and (select ${hasNoPauseWithin(maxAge)} from webhooks w where w.id = found.webhook_id)`;

// SQL for the maximum number of expired deliveries to count for a webhook. It is 0 unless the webhook is probed, has no
// rate limit, and has had no manual pause within the maximum age.
const expiredOfEach = `case when pause.paused_until <= now() and rate.webhook_id is null
        and (select ${hasNoPauseWithin(maxAge)} from webhooks w where w.id = found.webhook_id)
      then found.most else 0 end`;

// The recursive CTE `scan` reads webhooks in the order of their ids, so that every webhook is served. If many webhooks
// of a workspace have waiting deliveries but only a few have due ones, the scan takes many passes to reach these few;
// the CTE `oldest` finds them at once. `oldest` reads nothing in a workspace in which `scan` found enough webhooks,
// because thousands of dead index entries can precede the oldest delivery.
const findWebhooks = {
  name: 'dispatch.find-webhooks',
  text: `
    with recursive visits as materialized (
      select * from unnest($1::uuid[], $2::uuid[]) as v(workspace_id, after)
    ), scan as (
      select workspace_id, after as webhook_id, null::timestamptz as due_at, 0 as steps, 0 as found from visits
      union all
      select next.workspace_id, next.webhook_id, next.due_at, scan.steps + 1,
             scan.found + (next.due_at <= now())::integer
      from scan cross join lateral (
        select o.workspace_id, o.webhook_id, o.due_at from open_deliveries o
        where o.state = 'waiting' and (o.workspace_id, o.webhook_id) > (scan.workspace_id, scan.webhook_id)
        order by o.workspace_id, o.webhook_id, o.due_at limit 1) next
      where next.workspace_id = scan.workspace_id and scan.steps < $3::integer and scan.found < $4::integer
    ), ends as materialized (
      select distinct on (workspace_id) workspace_id, webhook_id, steps, found
      from scan order by workspace_id, steps desc
    ), oldest as (
      select ends.workspace_id, next.webhook_id from ends cross join lateral (
        select o.webhook_id from open_deliveries o
        where o.state = 'waiting' and o.workspace_id = ends.workspace_id and o.due_at <= now()
        order by o.due_at nulls first limit case when ends.found = $4::integer then 0 else $5::integer end) next
    ), found as materialized (
      select workspace_id, webhook_id, min(steps) as steps,
             2 * $6::integer / count(*) over (partition by workspace_id) as most
      from (
        select workspace_id, webhook_id, steps from scan where due_at <= now()
        union all select workspace_id, webhook_id, null from oldest) sources
      group by workspace_id, webhook_id
    )
    select case when pause.paused_until > now() then 'paused'
                when rate.next_at > now() and not (${hasExpired}) then 'limited' else 'due' end as kind,
           found.workspace_id, found.webhook_id, greatest(1, counted.due) as due,
           pause.webhook_id is not null as probing, old.expired, rate.webhook_id is not null as limited, found.steps,
           clock_timestamp() + interval '10 seconds' as queue_by
    from found left join webhook_pauses pause using (webhook_id)
    left join webhook_rate_limits rate using (webhook_id)
    cross join lateral (
      select count(*)::integer as due from (${dueOf('found', countedOfEach)}) rows) counted
    cross join lateral (
      select count(*)::integer as expired
      from (${dueOf('found', expiredOfEach, `now() - ${maxAge}`)}) rows) old
    union all
    select case when steps = $3::integer or found = $4::integer then 'partial' else 'complete' end, workspace_id, webhook_id,
           null, null, null, null, null, null
    from ends
    order by steps`,
};

interface WorkspaceRow {
  workspace_id: string;
  is_due: boolean;
  is_partial: boolean;
}

export interface WebhookKeyRow {
  workspace_id: string;
  webhook_id: string;
}

interface WebhookScanRow extends WebhookKeyRow {
  kind: 'due' | 'paused' | 'limited' | 'partial' | 'complete';
  due: number;
  steps: number | null;
  probing: boolean;
  expired: number;
  limited: boolean | null;
  queue_by: Date;
}

export function toKey({ workspace_id, webhook_id }: WebhookKeyRow): WebhookInWorkspace {
  return { workspaceId: workspace_id, webhookId: webhook_id };
}

function toCandidate(row: WebhookScanRow): Candidate {
  return {
    ...toKey(row),
    due: row.due,
    isFromScan: row.steps !== null,
    probing: row.probing,
    expired: row.expired,
    limited: row.limited === true,
    queueBy: row.queue_by,
  };
}
