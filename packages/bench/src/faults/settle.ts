import { setTimeout as sleep } from 'node:timers/promises';
import { alertFiredQueue, deliveriesQueue, unroutedQueue } from '@tocsin/messaging';
import { readOpenState } from './records-reader.js';
import type { Trial } from './trial.js';

/**
 * Waits until all is accepted, taken over, delivered and recorded, and the queues are empty; undefined then. Where
 * nothing moves any more it gives up, and says what is left: the comparison will show what that means.
 */
export async function settle(trial: Trial): Promise<string | undefined> {
  let seen = '';
  let movedAtMs = performance.now();
  for (;;) {
    const { offered, accepted } = await trial.doors.call('progress', undefined);
    const { requests } = await trial.counter.call('progress', undefined);
    const { alerts, open } = await readOpenState(trial.database, trial.run);
    if (accepted === offered.all && alerts >= accepted && open === 0) return emptyQueues(trial);
    const now = `${offered.all} offered, ${accepted} accepted, ${alerts} taken over, ${open} open, ${requests} requests`;
    if (now !== seen) movedAtMs = performance.now();
    seen = now;
    if (performance.now() - movedAtMs > trial.timing.stalledAfterMs) return `it came to a halt: ${now}`;
    await sleep(250);
  }
}

const emptyWithinMs = 20_000;

/** Messages of what has been done already may come once more; they are acknowledged unread. */
async function emptyQueues({ rabbitmq }: Trial): Promise<string | undefined> {
  const deadlineMs = performance.now() + emptyWithinMs;
  for (;;) {
    const counts = parseCounts(await rabbitmq.control('list_queues', 'name', 'messages'));
    const left = [alertFiredQueue, deliveriesQueue, unroutedQueue].filter(
      (queue) => (counts.get(queue) ?? 0) > 0,
    );
    if (left.length === 0) return undefined;
    if (performance.now() > deadlineMs) return `messages were left in ${left.join(' and ')}`;
    await sleep(500);
  }
}

/** Lines of a queue's name and a number. */
function parseCounts(table: string): Map<string, number> {
  return new Map(
    table.split('\n').flatMap((line) => {
      const [name, count] = line.split('\t');
      return name && /^\d+$/.test(count ?? '') ? [[name, Number(count)] as const] : [];
    }),
  );
}
