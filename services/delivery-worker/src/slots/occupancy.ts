import type { Standing } from './standing.js';
import { createTally } from './tally.js';

/** Who takes a slot, as its webhook stood then: the same is counted when the slot is free again. */
export interface Holder extends Pick<Standing, 'proven' | 'quick' | 'dear'> {
  workspaceId: string;
  webhookId: string;
  early: boolean;
}

/** Who holds how many of the slots. */
export function createOccupancy(total: number) {
  const all = { byWebhook: createTally(), byWorkspace: createTally() };
  /** Of webhooks that answered slowly, or had not answered yet; and how many webhooks of a workspace have some. */
  const unquick = { byWebhook: createTally(), byWorkspace: createTally(), webhooks: createTally() };
  /** Of those that had not answered yet. */
  const unproven = { byWebhook: createTally() };
  const early = { all: 0, unquick: 0 };
  return {
    total,
    all,
    unquick,
    unproven,
    early,
    count(holder: Holder, change: 1 | -1) {
      const { webhookId, workspaceId } = holder;
      all.byWebhook.add(webhookId, change);
      all.byWorkspace.add(workspaceId, change);
      if (holder.early) early.all += change;
      if (!holder.proven) unproven.byWebhook.add(webhookId, change);
      if (holder.quick) return;
      const webhooksBefore = unquick.byWebhook.size();
      unquick.byWebhook.add(webhookId, change);
      unquick.byWorkspace.add(workspaceId, change);
      unquick.webhooks.add(workspaceId, unquick.byWebhook.size() - webhooksBefore);
      if (holder.early) early.unquick += change;
    },
  };
}

export type Occupancy = ReturnType<typeof createOccupancy>;
