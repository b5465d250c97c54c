import { candidateOf } from '../../test/support/dispatcher-passes.js';
import type { Candidate, ScanResult, Visit, VisitLimits } from './due-reader.js';
import { createDueScan } from './due-scan.js';
import { allocateRoundRobin } from './round-robin.js';

/** Webhook ids by workspace id. Each webhook has due deliveries. */
type Due = Record<string, string[]>;

const before = (after: string | undefined, id: string) => after === undefined || after < id;

/**
 * Creates a reader that returns due webhooks from memory instead of the database, and counts the index entries that the
 * statements of the real reader would read.
 */
function repositoryOf(due: Due) {
  const steps = { workspaces: 0, webhooks: 0 };
  const sorted = new Map(Object.entries(due).map(([workspaceId, ids]) => [workspaceId, [...ids].sort()]));
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
    async findWebhooks(visits: Visit[], limits: VisitLimits): Promise<ScanResult> {
      const scannedTo = new Map<string, string | undefined>();
      const candidates: Candidate[] = [];
      for (const { workspaceId, after } of visits) {
        const ids = sorted.get(workspaceId)!;
        const next = ids.findIndex((id) => id > after);
        const start = next === -1 ? ids.length : next;
        const end = start + Math.min(limits.steps, limits.webhooks);
        const found = ids.slice(start, end);
        steps.webhooks += found.length;
        scannedTo.set(workspaceId, end < ids.length ? found.at(-1) : undefined);
        for (const webhookId of found) candidates.push(candidateOf(webhookId, { workspaceId }));
      }
      return { candidates, paused: [], hasLimited: false, scannedTo };
    },
  };
}

const idsOf = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(6, '0')}`);

/**
 * Runs passes with `freePlaces` each. Returns in how many passes each webhook got a place, and how many index entries
 * were read.
 */
async function servedIn(passes: number, { due, freePlaces }: { due: Due; freePlaces: number }) {
  const repository = repositoryOf(due);
  const scan = createDueScan(repository);
  const served = new Map<string, number>();
  for (let pass = 0; pass < passes; pass += 1) {
    const result = await scan.next(freePlaces);
    const places = allocateRoundRobin(result.candidates, freePlaces);
    scan.markServed(result, places);
    for (const { webhookId } of places.keys()) served.set(webhookId, (served.get(webhookId) ?? 0) + 1);
  }
  return { served, steps: repository.steps };
}

test('a pass reads fewer than 1,500 of 300,000 webhooks with due deliveries', async () => {
  const { served, steps } = await servedIn(10, {
    due: { flood: idsOf('f', 300_000), z: ['z1'] },
    freePlaces: 400,
  });
  expect(steps.webhooks / 10).toBeLessThan(1_500);
  expect(served.get('z1')).toBe(10);
});

test('every webhook of a workspace is served once before any is served twice', async () => {
  const { served } = await servedIn(25, { due: { w: idsOf('h', 100) }, freePlaces: 4 });
  expect([...served.values()]).toEqual(Array.from({ length: 100 }, () => 1));
});

test('three passes serve 1,000 workspaces, because one pass visits up to 400', async () => {
  const due = Object.fromEntries(idsOf('w', 1_000).map((id) => [id, [`${id}-hook`]]));
  const { served } = await servedIn(3, { due, freePlaces: 400 });
  expect(served.size).toBe(1_000);
});

test('the next visit to a workspace starts with the first webhook that got no place', async () => {
  const due = { a: idsOf('a', 7), b: idsOf('b', 7) };
  const { served } = await servedIn(7, { due, freePlaces: 2 });
  expect([...served.values()]).toEqual(Array.from({ length: 14 }, () => 1));
});

describe('one call of the scan', () => {
  const noWorkspaces = { workspaceIds: [] as string[], next: undefined as string | undefined };
  const nothingFound = { candidates: [], paused: [], hasLimited: false, scannedTo: new Map() };

  /** Creates a scan, and records its reads. Each read of workspaces returns the next one of `pages`. */
  function scanOver(pages: (typeof noWorkspaces)[]) {
    const found: object[] = [];
    const visited: Visit[][] = [];
    const limits: VisitLimits[] = [];
    const scan = createDueScan({
      async findWorkspaces(options) {
        found.push(options);
        return pages.shift() ?? noWorkspaces;
      },
      async findWebhooks(visits, within) {
        visited.push(visits);
        limits.push(within);
        return { ...nothingFound, hasLimited: true };
      },
    });
    return { scan, found, visited, limits };
  }
  const pageOf = (count: number) => ({ workspaceIds: idsOf('w', count), next: undefined });

  test.each([
    [1, 400, { steps: 1_000, webhooks: 400, oldest: 400, places: 400 }],
    [1, 5_000, { steps: 1_000, webhooks: 1_000, oldest: 1_000, places: 5_000 }],
    [3, 400, { steps: 333, webhooks: 134, oldest: 134, places: 134 }],
    [400, 400, { steps: 8, webhooks: 2, oldest: 8, places: 1 }],
  ])(
    'a scan of %i workspaces for %i free places reads webhooks within the limits %j',
    async (workspaces, freePlaces, expected) => {
      const { scan, found, limits } = scanOver([pageOf(workspaces)]);
      await scan.next(freePlaces);
      expect(found).toEqual([{ after: undefined, steps: 1_000, workspaces: 400 }]);
      expect(limits).toEqual([expected]);
    },
  );

  test('a call of the scan visits at most as many workspaces as there are free places', async () => {
    const { scan, found } = scanOver([pageOf(7)]);
    await scan.next(7);
    expect(found).toMatchObject([{ workspaces: 7 }]);
  });

  test('a scan continues after the workspace that it read last, and after the end with the first', async () => {
    const { scan, found, visited } = scanOver([
      { workspaceIds: ['a'], next: 'a' },
      noWorkspaces,
      { workspaceIds: ['a'], next: undefined },
    ]);
    expect(await scan.next(9)).toMatchObject({ isPartial: true, hasLimited: true });
    expect(await scan.next(9)).toMatchObject({ isPartial: false, hasLimited: true });
    const starts = found.map((options) => (options as { after?: string }).after);
    expect(starts).toEqual([undefined, 'a', undefined]);
    expect(visited).toHaveLength(2);
  });

  test('a scan that finds no workspace runs one query and returns no webhooks', async () => {
    const { scan, found, visited } = scanOver([noWorkspaces]);
    expect(await scan.next(9)).toEqual({ ...nothingFound, isPartial: false });
    expect([found.length, visited]).toEqual([1, []]);
  });

  test('a scan that has read only workspaces without due deliveries continues after them', async () => {
    const { scan, found } = scanOver([{ workspaceIds: [], next: 'm' }, noWorkspaces]);
    expect(await scan.next(9)).toEqual({ ...nothingFound, isPartial: true });
    await scan.next(9);
    expect(found).toMatchObject([{ after: undefined }, { after: 'm' }, { after: undefined }]);
  });
});

describe('the start of the next visit to a workspace', () => {
  const first = '00000000-0000-0000-0000-000000000000';

  /**
   * Runs the passes and one further pass. Returns, for each pass, the id of the webhook after which the visit to the
   * workspace starts. In each pass, the candidates in `served` get a place.
   */
  async function startsAfter(
    passes: { candidates: Candidate[]; served: string[]; end?: string | undefined }[],
  ) {
    const starts: string[] = [];
    const scan = createDueScan({
      findWorkspaces: async () => ({ workspaceIds: ['w'], next: undefined }),
      async findWebhooks([visit]) {
        starts.push(visit!.after);
        return { candidates: [], paused: [], hasLimited: false, scannedTo: new Map() };
      },
    });
    for (const { candidates, served, end } of passes) {
      await scan.next(9);
      const result = { candidates, paused: [], hasLimited: false, scannedTo: new Map([['w', end]]) };
      const got = candidates.filter(({ webhookId }) => served.includes(webhookId));
      scan.markServed(result, new Map(got.map((entry) => [entry, 1])));
    }
    await scan.next(9);
    return starts;
  }

  test('the next visit starts at the first webhook without a place, or where the last scan ended', async () => {
    const candidates = [candidateOf('a'), candidateOf('b'), candidateOf('c')];
    expect(await startsAfter([{ candidates, served: ['a', 'b', 'c'], end: 'c' }])).toEqual([first, 'c']);
    expect(await startsAfter([{ candidates, served: ['a'], end: 'c' }])).toEqual([first, 'a']);
    expect(await startsAfter([{ candidates, served: ['a', 'c'], end: 'c' }])).toEqual([first, 'a']);
    expect(await startsAfter([{ candidates, served: ['a', 'b', 'c'] }])).toEqual([first, first]);
  });

  test('if a visit to a workspace serves no webhook, the next visit starts at the same webhook', async () => {
    const passes = [
      { candidates: [candidateOf('a')], served: ['a'], end: 'a' },
      { candidates: [candidateOf('b')], served: [], end: 'b' },
    ];
    expect(await startsAfter(passes)).toEqual([first, 'a', 'a']);
    expect(await startsAfter(passes.slice(1))).toEqual([first, first]);
  });

  test('markServed counts a webhook with a full quota as served, and ignores one not from the scan', async () => {
    const full = [candidateOf('a', { due: 0 }), candidateOf('b')];
    expect(await startsAfter([{ candidates: full, served: [], end: 'b' }])).toEqual([first, 'a']);
    const old = [candidateOf('a'), candidateOf('z', { isFromScan: false })];
    expect(await startsAfter([{ candidates: old, served: ['a'], end: 'a' }])).toEqual([first, 'a']);
    expect(await startsAfter([{ candidates: old, served: ['a', 'z'], end: undefined }])).toEqual([
      first,
      first,
    ]);
  });
});

test('if a pass ends at its step limit without a workspace, the next continues where it ended', async () => {
  const positions: (string | undefined)[] = [];
  const scan = createDueScan({
    ...repositoryOf({}),
    async findWorkspaces({ after }) {
      positions.push(after);
      return { workspaceIds: [], next: positions.length < 5 ? `w${positions.length}` : undefined };
    },
  });
  const passes = [await scan.next(400), await scan.next(400)];
  expect(passes.map(({ isPartial }) => isPartial)).toEqual([true, true]);
  expect(positions).toEqual([undefined, 'w1']);
});
