import type { Holder, Occupancy } from './occupancy.js';
import type { Standing } from './standing.js';
import type { Tally } from './tally.js';

// Who may have a slot. A webhook that has answered lately may have many; one that has not shown yet that it answers may
// have few, and all such together at most an eighth, so that destinations that hang cannot take the healthy ones' places,
// nor come to their time-outs by the hundred at once. What is left up to three quarters is for those that answer slowly
// and for first requests, so that a webhook that is new is heard beside many that hang; the last quarter is for the quick
// alone. Of both, of all and of those three quarters, a workspace has at most fifteen sixteenths of what the others leave,
// however many its webhooks are (docs/adr/0044).

const provenLimit = 256;
const unprovenLimit = 8;
const dearLimit = 8;
const unprovenPart = 1 / 8;
/** Of all that are not quick: slow, or making their first request. */
const unquickPart = 3 / 4;
/** Of what the other workspaces leave, a workspace's: for those of its webhooks that have some already, and for first ones. */
const workspacePart = 15 / 16;
const workspaceFirstPart = 31 / 32;
const earlyPart = 3 / 4;
/** Of those that may be taken early. */
const earlyUnquickPart = 1 / 4;

/** How many slots a webhook may have. */
export function limitOf({ proven, dear }: Pick<Standing, 'proven' | 'dear'>): number {
  if (!proven) return unprovenLimit;
  return dear ? dearLimit : provenLimit;
}

/** How many those webhooks may have together that have not shown that they answer, but for a first one each. */
export function unprovenTotal({ total }: Occupancy): number {
  return total * unprovenPart;
}

/** What the other workspaces leave to a workspace, its own included, of the slots for what is not quick. */
export function unquickLeftTo(workspaceId: string, { total, unquick }: Occupancy): number {
  return leftTo(workspaceId, { taken: unquick.byWorkspace, total: total * unquickPart });
}

/** Whether it may have one more slot. */
export function hasRoom(holder: Holder, occupancy: Occupancy): boolean {
  const { total, all, unquick, unproven } = occupancy;
  const { workspaceId, proven, quick } = holder;
  const ahead = all.byWebhook.of(holder.webhookId);
  if (ahead >= limitOf(holder)) return false;
  const part = ahead === 0 ? workspaceFirstPart : workspacePart;
  if (!hasPart(workspaceId, part, { taken: all.byWorkspace, total })) return false;
  if (!quick && !hasPart(workspaceId, part, { taken: unquick.byWorkspace, total: total * unquickPart }))
    return false;
  return proven || ahead === 0 || unproven.byWebhook.sum() < unprovenTotal(occupancy);
}

/**
 * Whether it may have one more for what is only being written (docs/adr/0035), where it has room. Such may have
 * - three quarters of all, for what comes from the queue wants some too;
 * - one beyond for a webhook that answers and has none, which would wait in the queue behind all that a loud one has there;
 * - of a webhook that is not known to be quick, its first only;
 * - of one that has not answered lately, that only while those that are not quick have less than a quarter of the early.
 */
export function hasEarlyRoom({ webhookId, proven, quick }: Holder, occupancy: Occupancy): boolean {
  const { all, early } = occupancy;
  const isFirst = all.byWebhook.of(webhookId) === 0;
  if (isFirst && proven) return true;
  if (early.all >= earlyTotal(occupancy)) return false;
  return quick || (isFirst && early.unquick < earlyTotal(occupancy) * earlyUnquickPart);
}

/** How many more could be taken early. */
export function earlyLeft(occupancy: Occupancy): number {
  return Math.max(0, earlyTotal(occupancy) - occupancy.early.all);
}

function earlyTotal({ total }: Occupancy): number {
  return Math.ceil(total * earlyPart);
}

interface Shared {
  taken: Tally;
  total: number;
}

/** Whether a workspace may have one more, of `part` of what is left to it; its first in any case. */
function hasPart(workspaceId: string, part: number, shared: Shared): boolean {
  const own = shared.taken.of(workspaceId);
  return shared.taken.sum() < shared.total && (own === 0 || own < leftTo(workspaceId, shared) * part);
}

function leftTo(workspaceId: string, { taken, total }: Shared): number {
  return total - taken.sum() + taken.of(workspaceId);
}
