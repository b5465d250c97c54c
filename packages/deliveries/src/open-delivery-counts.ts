import type { Database } from '@tocsin/database';
import { LRUCache } from 'lru-cache';
import { countOpenDeliveries, type OpenDeliveriesKey } from './open-deliveries-reader.js';
import type { OpenDeliveryLimits } from './open-delivery-limits.js';

export interface WebhookInWorkspace {
  workspaceId: string;
  webhookId: string;
}

/**
 * Numbers of open deliveries divided by their limits. A webhook or workspace is at its limit if the result is 1 or
 * more. A number is the last count from the database plus the deliveries that this process has written since then, so
 * that most batches need no statement.
 *
 * A count is valid until this process has added a certain number of deliveries: 1 % of the limit, or a tenth of the
 * remaining capacity if this is larger. N processes together can therefore exceed a limit by N % and by their batches
 * in progress. A count also expires with time, because other processes change the number too, by an assumed maximum of
 * 5,000 a second. The count is valid for the time in which such changes use the remaining capacity, or 10 % of the
 * limit if this is larger. Near the limit, deliveries that have ended since the count can therefore make a number too
 * high by up to 10 % of the limit.
 */
export interface OpenDeliveryCounts {
  /**
   * Replaces outdated counts by new counts from the database. In most calls, no count is outdated and no statement is
   * needed. Must be called before the methods below. `keys` has one entry for each delivery that may be written. An
   * entry without a webhook refreshes only the count of its workspace.
   */
  refresh(keys: OpenDeliveriesKey[]): Promise<void>;
  /** Returns the open deliveries of a workspace divided by its limit. */
  workspaceFill(workspaceId: string): number;
  /** Returns the open deliveries of a webhook divided by its limit. */
  webhookFill(webhook: WebhookInWorkspace): number;
  /**
   * Must be called for each delivery before its write. Adds the delivery to the counts of its webhook and of its
   * workspace.
   */
  writing(webhook: WebhookInWorkspace): void;
  /**
   * Must be called after deliveries were written, even if the write failed. `webhooks` has one entry for each delivery
   * that `writing` has added.
   */
  written(webhooks: Iterable<WebhookInWorkspace>): void;
}

const maxWebhooks = 50_000;
const maxWorkspaces = 10_000;

export function createOpenDeliveryCounts(
  database: Database,
  limits: OpenDeliveryLimits,
  now: () => number = () => performance.now(),
): OpenDeliveryCounts {
  const webhooks = new LRUCache<string, Count>({ max: maxWebhooks });
  const workspaces = new LRUCache<string, Count>({ max: maxWorkspaces });
  const countOf = ({ workspaceId, webhookId }: OpenDeliveriesKey) =>
    webhookId === undefined ? workspaces.get(workspaceId) : webhooks.get(webhookId);
  const setCount = ({ workspaceId, webhookId }: OpenDeliveriesKey, count: Count) =>
    webhookId === undefined ? workspaces.set(workspaceId, count) : webhooks.set(webhookId, count);
  const limitOf = ({ webhookId }: OpenDeliveriesKey) =>
    webhookId === undefined ? limits.perWorkspace : limits.perWebhook;
  const fill = (key: OpenDeliveriesKey) => {
    const count = countOf(key);
    return count === undefined ? 0 : estimate(count) / limitOf(key);
  };
  const eachCount = ({ workspaceId, webhookId }: WebhookInWorkspace, change: (count: Count) => void) => {
    for (const count of [workspaces.get(workspaceId), webhooks.get(webhookId)])
      if (count !== undefined) change(count);
  };

  return {
    async refresh(keys) {
      const startedAtMs = now();
      const stale = [...wantedOf(keys).values()].filter(({ key, wanted }) => {
        const count = countOf(key);
        return count === undefined || isStale(count, { limit: limitOf(key), wanted, nowMs: startedAtMs });
      });
      if (stale.length === 0) return;
      const before = stale.map(({ key }) => countOf(key)?.written ?? 0);
      const open = await countOpenDeliveries(database, { keys: stale.map(({ key }) => key), limits });
      for (const [index, { key }] of stale.entries()) {
        const { writing = 0, written = 0 } = countOf(key) ?? {};
        setCount(key, {
          open: open[index]!,
          countedAtMs: startedAtMs,
          writing,
          written,
          writtenBefore: before[index]!,
        });
      }
    },
    workspaceFill: (workspaceId) => fill({ workspaceId }),
    webhookFill: fill,
    writing: (webhook) =>
      eachCount(webhook, (count) => {
        count.writing += 1;
      }),
    written(written) {
      for (const webhook of written)
        eachCount(webhook, (count) => {
          count.writing = Math.max(0, count.writing - 1);
          count.written += 1;
        });
    },
  };
}

interface Count {
  /** Number of open deliveries in the last count from the database. */
  open: number;
  countedAtMs: number;
  /** Number of deliveries that this process is writing. The last count may or may not include them. */
  writing: number;
  /** Number of deliveries that this process has written since its first count of this webhook or workspace. */
  written: number;
  /**
   * Value of `written` when the last count from the database started. The count includes these `writtenBefore`
   * deliveries, unless they have ended.
   */
  writtenBefore: number;
}

const added = ({ writing, written, writtenBefore }: Count) => writing + written - writtenBefore;
const estimate = (count: Count) => count.open + added(count);

/** Assumed maximum rate at which other processes open or end deliveries, in deliveries a second. */
const changePerSecond = 5_000;

function isStale(
  count: Count,
  { limit, wanted, nowMs }: { limit: number; wanted: number; nowMs: number },
): boolean {
  const left = limit - count.open;
  if (added(count) + wanted > Math.max(limit / 100, left / 10)) return true;
  const validMs = (Math.max(limit / 10, left) / changePerSecond) * 1_000;
  return nowMs - count.countedAtMs > validMs;
}

/** Counts how often each webhook and each workspace occurs in `keys`. */
function wantedOf(keys: OpenDeliveriesKey[]): Map<string, { key: OpenDeliveriesKey; wanted: number }> {
  const found = new Map<string, { key: OpenDeliveriesKey; wanted: number }>();
  const add = (id: string, key: OpenDeliveriesKey) => {
    const entry = found.get(id);
    if (entry === undefined) found.set(id, { key, wanted: 1 });
    else entry.wanted += 1;
  };
  for (const key of keys) {
    add(key.workspaceId, { workspaceId: key.workspaceId });
    if (key.webhookId !== undefined) add(key.webhookId, key);
  }
  return found;
}
