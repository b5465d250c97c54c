import fc from 'fast-check';
import { allocatePlaces, allocateRoundRobin, type DueWebhook } from './round-robin.js';

const dueWebhook = (workspaceId: string, webhookId: string, due: number): DueWebhook => ({
  workspaceId,
  webhookId,
  due,
});

test('a workspace with one delivery gets a place while another workspace has a large backlog', () => {
  const storm = ['a', 'b', 'c'].map((webhookId) => dueWebhook('storm', webhookId, 100_000));
  const quiet = dueWebhook('quiet', 'd', 1);
  const places = allocateRoundRobin([...storm, quiet], 10);
  expect(places.get(quiet)).toBe(1);
  expect(storm.map((entry) => places.get(entry))).toEqual([3, 3, 3]);
});

test('places are distributed round robin among the webhooks of a workspace', () => {
  const [big, small] = [dueWebhook('w', 'big', 1_000), dueWebhook('w', 'small', 2)];
  const places = allocateRoundRobin([big, small], 10);
  expect([places.get(big), places.get(small)]).toEqual([8, 2]);
});

test('no usable place stays free; a workspace that lacks places has at most one less than others', () => {
  const dueWebhooks = fc.array(
    fc.record({
      workspaceId: fc.constantFrom('x', 'y', 'z'),
      webhookId: fc.uuid(),
      due: fc.integer({ min: 0, max: 30 }),
    }),
    { maxLength: 20 },
  );
  fc.assert(
    fc.property(dueWebhooks, fc.integer({ min: 0, max: 200 }), (input, freePlaces) => {
      const places = allocateRoundRobin<DueWebhook>(input, freePlaces);
      const given = [...places.values()].reduce((sum, count) => sum + count, 0);
      expect(given).toBe(
        Math.min(
          freePlaces,
          input.reduce((sum, { due }) => sum + due, 0),
        ),
      );
      for (const [entry, count] of places) expect(count).toBeLessThanOrEqual(entry.due);
      const total = (workspaceId: string, of: (entry: DueWebhook) => number) =>
        input.filter((entry) => entry.workspaceId === workspaceId).reduce((sum, entry) => sum + of(entry), 0);
      for (const hungry of ['x', 'y', 'z']) {
        const got = total(hungry, (entry) => places.get(entry) ?? 0);
        if (got === total(hungry, (entry) => entry.due)) continue;
        for (const other of ['x', 'y', 'z'])
          expect(total(other, (entry) => places.get(entry) ?? 0)).toBeLessThanOrEqual(got + 1);
      }
    }),
  );
});

const isResponsive = ({ webhookId }: DueWebhook) => webhookId.startsWith('responsive');

test('webhooks that are not responsive get a quarter of the places if the others need all', () => {
  const [busy, flood] = [dueWebhook('w', 'responsive', 1_000), dueWebhook('flood', 'silent', 1_000)];
  const places = allocatePlaces([flood, busy], { freePlaces: 100, maxUnresponsive: 100, isResponsive });
  expect([places.get(busy), places.get(flood)]).toEqual([75, 25]);
});

test('webhooks that are not responsive get the places that responsive ones leave, up to a limit', () => {
  const [quiet, flood] = [dueWebhook('w', 'responsive', 10), dueWebhook('flood', 'silent', 1_000)];
  const places = { freePlaces: 100, isResponsive };
  expect(allocatePlaces([flood, quiet], { ...places, maxUnresponsive: 100 }).get(flood)).toBe(90);
  expect(allocatePlaces([flood, quiet], { ...places, maxUnresponsive: 30 }).get(flood)).toBe(30);
});

test('the quarter of the places for webhooks that are not responsive is rounded up', () => {
  const [busy, flood] = [dueWebhook('w', 'responsive', 100), dueWebhook('flood', 'silent', 100)];
  const places = allocatePlaces([flood, busy], { freePlaces: 10, maxUnresponsive: 10, isResponsive });
  expect([places.get(busy), places.get(flood)]).toEqual([7, 3]);
});

test('if places cannot be divided evenly, the rest goes to the workspaces that come first', () => {
  const due = ['b', 'c', 'a'].map((id) => dueWebhook(id, id, 9));
  const places = allocateRoundRobin(due, 5);
  expect(due.map((entry) => places.get(entry))).toEqual([2, 2, 1]);
});
