import type { Candidate, Survey, Visit, VisitBounds } from './due-reader.js';
import { createDueWalk } from './due-walk.js';
import { allocateRoundRobin } from './round-robin.js';

/** Webhook ids by workspace id. Each webhook has deliveries due. */
type Due = Record<string, string[]>;

const before = (after: string | undefined, id: string) => after === undefined || after < id;

/**
 * Creates a reader that finds workspaces and webhooks in memory like the real one in the database, and counts its
 * steps.
 */
function repositoryOf(due: Due) {
  const steps = { workspaces: 0, webhooks: 0 };
  return {
    steps,
    async findWorkspaces({ after, workspaces }: { after: string | undefined; workspaces: number }) {
      const ids = Object.keys(due)
        .filter((id) => before(after, id))
        .sort();
      const workspaceIds = ids.slice(0, workspaces);
      steps.workspaces += workspaceIds.length;
      return { workspaceIds, next: ids.length >= workspaces ? workspaceIds.at(-1) : undefined };
    },
    async survey(visits: Visit[], bounds: VisitBounds): Promise<Survey> {
      const walkedTo = new Map<string, string | undefined>();
      const candidates: Candidate[] = [];
      for (const { workspaceId, after } of visits) {
        const ids = due[workspaceId]!.filter((id) => id > after).sort();
        const found = ids.slice(0, Math.min(bounds.steps, bounds.webhooks));
        steps.webhooks += found.length;
        walkedTo.set(workspaceId, found.length < ids.length ? found.at(-1) : undefined);
        for (const webhookId of found)
          candidates.push({
            workspaceId,
            webhookId,
            due: 1,
            isFromWalk: true,
            probing: false,
            limited: false,
            queueBy: new Date(),
          });
      }
      return { candidates, paused: [], hasLimited: false, walkedTo };
    },
  };
}

const idsOf = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(6, '0')}`);

/**
 * Runs passes with `room` free places each. Returns the number of places that each webhook got, and the number of index
 * entries that were read.
 */
async function servedIn(passes: number, { due, room }: { due: Due; room: number }) {
  const repository = repositoryOf(due);
  const walk = createDueWalk(repository);
  const served = new Map<string, number>();
  for (let pass = 0; pass < passes; pass += 1) {
    const survey = await walk.next(room);
    const quotas = allocateRoundRobin(survey.candidates, room);
    walk.served(survey, quotas);
    for (const { webhookId } of quotas.keys()) served.set(webhookId, (served.get(webhookId) ?? 0) + 1);
  }
  return { served, steps: repository.steps };
}

test('a pass reads fewer than 1,500 of 300,000 webhooks with deliveries due', async () => {
  const { served, steps } = await servedIn(10, { due: { flood: idsOf('f', 300_000), z: ['z1'] }, room: 400 });
  expect(steps.webhooks / 10).toBeLessThan(1_500);
  expect(served.get('z1')).toBe(10);
});

test('every webhook of a workspace is served once before any is served twice', async () => {
  const { served } = await servedIn(25, { due: { w: idsOf('h', 100) }, room: 4 });
  expect([...served.values()]).toEqual(Array.from({ length: 100 }, () => 1));
});

test('every workspace is served when there are more workspaces than a pass visits', async () => {
  const due = Object.fromEntries(idsOf('w', 1_000).map((id) => [id, [`${id}-hook`]]));
  const { served } = await servedIn(9, { due, room: 400 });
  expect(served.size).toBe(1_000);
});

test('a webhook that got no place is the first one of the next visit to its workspace', async () => {
  const due = { a: idsOf('a', 7), b: idsOf('b', 7) };
  const { served } = await servedIn(7, { due, room: 2 });
  expect([...served.values()]).toEqual(Array.from({ length: 14 }, () => 1));
});
