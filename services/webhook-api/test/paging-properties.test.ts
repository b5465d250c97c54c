import { randomUUID } from 'node:crypto';
import { ensurePartitions, recordId } from '@tocsin/database';
import { propertyRuns } from '@tocsin/testing';
import { insertAlert } from '@tocsin/testing/database';
import fc from 'fast-check';
import { useApi, workspaceId } from './support/api.js';
import { seedDelivery } from './support/history.js';
import { nextOf } from './support/paging.js';

const workspace = `/api/v1/workspaces/${workspaceId}`;
const runs = propertyRuns(30);
/**
 * Timeout in milliseconds. After a failure, fast-check repeats the test with smaller cases, which takes longer than the
 * runs themselves.
 */
const timeoutMs = 120_000;

const dayMs = 86_400_000;

const api = useApi();
beforeAll(async () => {
  await ensurePartitions(api.database, Date.now() - 6 * dayMs);
});

/**
 * Possible ages of entries, in milliseconds. There are only a few values, so that some entries have the same
 * millisecond.
 */
const ago = fc.constantFrom(60_000, 60_001, 60_002, 61_000, 90_000, dayMs, dayMs + 1, 2 * dayMs, 6 * dayMs);

const plan = fc.record({
  initial: fc.array(ago, { maxLength: 24 }),
  /** For each page, the ages of the entries that are inserted while the page is read, in milliseconds. */
  arrivals: fc.array(fc.array(ago, { maxLength: 4 }), { maxLength: 8 }),
  /** Page sizes, used in rotation. */
  limits: fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 4 }),
});
type Plan = typeof plan extends fc.Arbitrary<infer T> ? T : never;

interface List<Entry> {
  path: string;
  /**
   * Inserts an entry and returns its position. Lists are sorted by time, newest first, and then by id in descending
   * order.
   */
  insert(acceptedAtMs: number): Promise<string>;
  positionOf(entry: Entry): string;
}

/**
 * Reads all pages of a list while entries are inserted. Expects that every page except the last is full, that positions
 * decrease, and that an entry is on one of the pages if it was inserted before the page with its position was read.
 */
async function expectCompletePages<Entry>(
  { path, insert, positionOf }: List<Entry>,
  { initial, arrivals, limits }: Plan,
): Promise<void> {
  const nowMs = Date.now();
  const insertAll = (times: number[]) => Promise.all(times.map((before) => insert(nowMs - before)));
  const due = new Set(await insertAll(initial));
  const allowed = new Set(due);
  const read: string[] = [];
  let next: string | undefined = path;
  for (let page = 0; next !== undefined; page += 1) {
    const limit = limits[page % limits.length]!;
    const url = new URL(next, api.url);
    url.searchParams.set('limit', String(limit));
    const [{ status, headers, body }, arrived] = await Promise.all([
      api.call<Entry[]>('GET', url.pathname + url.search, { as: 'reader' }),
      insertAll(arrivals[page] ?? []),
    ]);
    expect(status).toBe(200);
    next = nextOf(headers);
    expect(next === undefined ? body.length <= limit : body.length === limit).toBe(true);
    read.push(...body.map(positionOf));
    for (const position of arrived) {
      allowed.add(position);
      if (next !== undefined && position < read.at(-1)!) due.add(position);
    }
  }
  expect(read).toEqual([...new Set(read)].sort().reverse());
  expect([...due].filter((position) => !read.includes(position))).toEqual([]);
  expect(read.filter((position) => !allowed.has(position))).toEqual([]);
}

/** Adds a property test of the list that `listOf` returns for a new id of a webhook or alert rule. */
function testPaging<Entry>(title: string, listOf: (id: string) => List<Entry>): void {
  const property = fc.asyncProperty(plan, (planned) => expectCompletePages(listOf(randomUUID()), planned));
  test(title, () => fc.assert(property, runs), timeoutMs);
}

const positionOf = ({ id }: { id: string }) => id;

testPaging('paging reads each delivery once while others arrive', (webhookId) => ({
  path: `${workspace}/deliveries?webhook_id=${webhookId}`,
  insert: (acceptedAtMs) => seedDelivery(api.database, { webhookId, acceptedAtMs }),
  positionOf,
}));

testPaging('paging reads each delivery of an open status once while others arrive', (webhookId) => ({
  path: `${workspace}/deliveries?status=waiting&webhook_id=${webhookId}`,
  insert: (acceptedAtMs) => seedDelivery(api.database, { webhookId, acceptedAtMs, status: 'open' }),
  positionOf,
}));

testPaging('paging reads each alert once while others arrive', (alertRuleId) => ({
  path: `${workspace}/alerts?alert_rule_id=${alertRuleId}`,
  insert: async (acceptedAtMs) =>
    (await insertAlert(api.database, { workspaceId, alertRuleId, acceptedAtMs })).id,
  positionOf: ({ alert_id, accepted_at }: { alert_id: string; accepted_at: string }) =>
    recordId(Date.parse(accepted_at), `${workspaceId}/${alert_id}`),
}));
