import type { Occupancy } from './occupancy.js';
import { limitOf, unprovenTotal, unquickLeftTo } from './slot-rules.js';
import type { Slots } from './slots.js';
import type { Standings } from './standing.js';
import { createTally } from './tally.js';

const quickShare = 1_000;

/** How many of a webhook's deliveries are worth having in the queue. */
export function createSlotShares({
  standings,
  occupancy,
}: {
  standings: Standings;
  occupancy: Occupancy;
}): Pick<Slots, 'shareOf' | 'backlogged'> {
  /** Webhooks that have deliveries waiting: those that have not answered, and a workspace's slow ones. */
  let unprovenBacklogged = 0;
  let slowBacklogged = createTally();

  const unprovenShare = () =>
    unprovenTotal(occupancy) / Math.max(1, occupancy.unproven.byWebhook.size(), unprovenBacklogged);
  const slowShare = (workspaceId: string) =>
    unquickLeftTo(workspaceId, occupancy) /
    Math.max(1, occupancy.unquick.webhooks.of(workspaceId), slowBacklogged.of(workspaceId));
  return {
    shareOf(webhookId) {
      const standing = standings.of(webhookId);
      if (standing.quick) return quickShare;
      const { workspaceId } = standing;
      // Of slow ones a few more than they may have slots, to be there when one becomes free.
      const share = workspaceId === undefined ? unprovenShare() : slowShare(workspaceId);
      return Math.max(1, Math.floor(Math.min(limitOf(standing), share)));
    },
    backlogged(webhookIds) {
      unprovenBacklogged = 0;
      slowBacklogged = createTally();
      for (const webhookId of webhookIds) {
        const { quick, workspaceId } = standings.of(webhookId);
        if (workspaceId === undefined) unprovenBacklogged += 1;
        else if (!quick) slowBacklogged.add(workspaceId, 1);
      }
    },
  };
}
