/** A webhook with deliveries due, and the number of them that may be queued now. */
export interface Contender {
  workspaceId: string;
  webhookId: string;
  due: number;
}

/**
 * Distributes `room` places round robin by workspace and, within a workspace, by webhook. A workspace gets a further
 * place only after each other workspace with deliveries left has as many. Ties go to the earlier contender.
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
