/** A webhook that has deliveries due, and how many of them may be queued now. */
export interface Contender {
  workspaceId: string;
  webhookId: string;
  due: number;
}

/**
 * Shares `room` places out in turn by workspace and, within one, by webhook: a workspace gets its next place only when
 * every other that still wants one has had as many. The input's order breaks ties.
 */
export function takeTurns<C extends Contender>(contenders: C[], room: number): Map<C, number> {
  const quotas = new Map<C, number>();
  let workspaces = [...groupByWorkspace(contenders).values()].map((members) => ({ members, next: 0 }));
  let left = room;
  while (left > 0 && workspaces.length > 0) {
    for (const turn of workspaces) {
      if (left === 0) break;
      const contender = turn.members[turn.next % turn.members.length]!;
      const quota = (quotas.get(contender) ?? 0) + 1;
      quotas.set(contender, quota);
      left -= 1;
      if (quota < contender.due) turn.next += 1;
      else turn.members.splice(turn.next % turn.members.length, 1);
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
