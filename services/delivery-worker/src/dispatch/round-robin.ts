import { groupBy } from '@tocsin/kit';

/** A webhook with due deliveries. `due` is the number of these deliveries that may be queued now. */
export interface DueWebhook {
  workspaceId: string;
  webhookId: string;
  due: number;
}

export interface PlaceLimits {
  freePlaces: number;
  /** Maximum total number of places for webhooks that are not responsive. */
  maxUnresponsive: number;
}

/**
 * Maximum fraction of the places for webhooks that are not responsive, while responsive ones could use all places. The
 * limit protects other workspaces from a workspace with thousands of webhooks that never respond.
 */
const unresponsivePart = 1 / 4;

/**
 * Distributes places round robin. Webhooks that are not responsive get places first, up to their limit. Responsive
 * webhooks get the rest.
 */
export function allocatePlaces<W extends DueWebhook>(
  webhooks: W[],
  { freePlaces, maxUnresponsive, isResponsive }: PlaceLimits & { isResponsive: (webhook: W) => boolean },
): Map<W, number> {
  const responsive = webhooks.filter(isResponsive);
  const wanted = responsive.reduce((sum, { due }) => sum + due, 0);
  const rest = Math.max(Math.ceil(freePlaces * unresponsivePart), freePlaces - wanted);
  const places = allocateRoundRobin(
    webhooks.filter((webhook) => !isResponsive(webhook)),
    Math.min(maxUnresponsive, rest),
  );
  const given = [...places.values()].reduce((sum, count) => sum + count, 0);
  return new Map([...places, ...allocateRoundRobin(responsive, freePlaces - given)]);
}

/**
 * Distributes `freePlaces` round robin by workspace and, within a workspace, by webhook. A workspace gets its next
 * place only when every other workspace with deliveries left has at least as many places. Remaining places go to
 * workspaces in the order of `webhooks`.
 */
export function allocateRoundRobin<W extends DueWebhook>(webhooks: W[], freePlaces: number): Map<W, number> {
  const places = new Map<W, number>();
  const waiting = webhooks.filter(({ due }) => due > 0);
  let workspaces = Array.from(groupBy(waiting, ({ workspaceId }) => workspaceId).values(), (members) => ({
    members,
    next: 0,
  }));
  let left = freePlaces;
  while (left > 0 && workspaces.length > 0) {
    for (const workspace of workspaces) {
      if (left === 0) break;
      const index = workspace.next % workspace.members.length;
      const webhook = workspace.members[index]!;
      const count = (places.get(webhook) ?? 0) + 1;
      places.set(webhook, count);
      left -= 1;
      if (count < webhook.due) workspace.next += 1;
      else workspace.members.splice(index, 1);
    }
    workspaces = workspaces.filter(({ members }) => members.length > 0);
  }
  return places;
}
