import { createLogger } from '@tocsin/kit';
import { runBacklogMeter } from './backlog-meter.js';
import type { Backlog } from './dispatch-repository.js';

const waiting: Backlog = { due: 7, overdue: 3, oldestDueSeconds: 210, openCircuits: 1, retryAfters: 0 };
const silent = createLogger({ service: 'test', level: 'silent' });

/** What it tells until it has told `times` times. */
async function told(
  times: number,
  read: { queueDepth: () => Promise<number>; backlog?: () => Promise<Backlog> },
) {
  const stop = new AbortController();
  const seen: (Backlog & { ready: number })[] = [];
  const backlog = (values: Backlog & { ready: number }) => {
    seen.push(values);
    if (seen.length === times) stop.abort();
  };
  const { queueDepth, backlog: readBacklog = async () => waiting } = read;
  await runBacklogMeter({
    repository: { backlog: readBacklog },
    queueDepth,
    metrics: { backlog },
    logger: silent,
    signal: stop.signal,
  });
  return seen;
}

test('what the database and the broker say is told', async () => {
  expect(await told(1, { queueDepth: async () => 5 })).toEqual([{ ...waiting, ready: 5 }]);
});

test('while the broker is away the backlog is told, and what it holds ready is not a number', async () => {
  const queueDepth = () => Promise.reject(new Error('The broker is away.'));
  expect(await told(1, { queueDepth })).toEqual([{ ...waiting, ready: Number.NaN }]);
});

test('while the database is away nothing old is told of it', async () => {
  const [seen] = await told(1, {
    queueDepth: async () => 5,
    backlog: () => Promise.reject(new Error('connection terminated')),
  });
  expect(seen?.ready).toBe(5);
  expect(Object.values(seen ?? {}).filter(Number.isNaN)).toHaveLength(5);
});
