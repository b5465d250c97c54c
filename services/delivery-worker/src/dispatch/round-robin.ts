/** A webhook with deliveries due. `due` is the number of them that may be queued now. */
export interface Contender {
  workspaceId: string;
  webhookId: string;
  due: number;
}

export interface PlacesToShare {
  room: number;
  /** Maximum number of places for all webhooks that are not responsive. */
  maxUnresponsive: number;
}

/**
 * Part of the places for webhooks that are not responsive, while responsive ones want all places. The limit protects
 * other workspaces from a workspace with thousands of webhooks that never respond.
 */
const unresponsivePart = 1 / 4;

/**
 * Distributes places round robin, first among webhooks that are not responsive, up to their limit, and then among
 * responsive ones.
 */
export function allocatePlaces<C extends Contender>(
  contenders: C[],
  { room, maxUnresponsive, isResponsive }: PlacesToShare & { isResponsive: (contender: C) => boolean },
): Map<C, number> {
  const responsive = contenders.filter(isResponsive);
  const wanted = responsive.reduce((sum, { due }) => sum + due, 0);
  const rest = Math.max(Math.ceil(room * unresponsivePart), room - wanted);
  const quotas = allocateRoundRobin(
    contenders.filter((contender) => !isResponsive(contender)),
    Math.min(maxUnresponsive, rest),
  );
  const given = [...quotas.values()].reduce((sum, quota) => sum + quota, 0);
  return new Map([...quotas, ...allocateRoundRobin(responsive, room - given)]);
}

/**
 * Distributes `room` places round robin by workspace and, within a workspace, by webhook. A workspace gets its next
 * place only after every other workspace with deliveries left has as many places. Remaining places go to workspaces in
 * the order of `contenders`.
 */
export function allocateRoundRobin<C extends Contender>(contenders: C[], room: number): Map<C, number> {
  const quotas = new Map<C, number>();
  let workspaces = [...groupByWorkspace(contenders).values()].map((members) => ({ members, next: 0 }));
  let left = room;
  while (left > 0 && workspaces.length > 0) {
    for (const workspace of workspaces) {
      if (left === 0) break;
      const index = workspace.next % workspace.members.length;
      const contender = workspace.members[index]!;
      const quota = (quotas.get(contender) ?? 0) + 1;
      quotas.set(contender, quota);
      left -= 1;
      if (quota < contender.due) workspace.next += 1;
      else workspace.members.splice(index, 1);
    }
    workspaces = workspaces.filter(({ members }) => members.length > 0);
  }
  return quotas;
}

function groupByWorkspace<C extends Contender>(contenders: C[]): Map<string, C[]> {
  const groups = new Map<string, C[]>();
  for (const contender of contenders) {
    if (contender.due <= 0) continue;
    const group = groups.get(contender.workspaceId);
    if (group === undefined) groups.set(contender.workspaceId, [contender]);
    else group.push(contender);
  }
  return groups;
}
