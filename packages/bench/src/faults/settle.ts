import { setTimeout as sleep } from 'node:timers/promises';
import { alertFiredQueue, deliveriesQueue, unroutedQueue } from '@tocsin/messaging';
import type { Trial } from './fault.js';
import { readOpenState } from './fault-records-reader.js';

/**
 * Waits until every published alert is confirmed, committed, delivered and recorded, and the queues of alerts,
 * deliveries and unrouted alerts are empty. Then returns undefined. If progress stops earlier, returns a description of
 * the unfinished work.
 */
export async function settle(trial: Trial): Promise<string | undefined> {
  const { generator, destination, database, run, timing } = trial;
  let last = '';
  let changedAtMs = performance.now();
  for (;;) {
    const { offered, accepted } = await generator.call('progress', run);
    const { requests } = await destination.call('progress', undefined);
    const { alerts, open } = await readOpenState(database, run);
    if (accepted === offered && alerts >= accepted && open === 0) return waitForEmptyQueues(trial);
    const now = `${offered} offered, ${accepted} accepted, ${alerts} committed, ${open} open, ${requests} requests`;
    if (now !== last) changedAtMs = performance.now();
    last = now;
    if (performance.now() - changedAtMs > timing.stallTimeoutMs) return `no progress: ${now}`;
    await sleep(250);
  }
}

const emptyTimeoutMs = 20_000;

/**
 * Waits up to 20 s until the queues of alerts, deliveries and unrouted alerts are empty. Returns undefined when they
 * are empty, or a description of the queues that are not empty after 20 s. The wait is necessary, because a queue can
 * contain redelivered messages whose work is finished. Workers still have to acknowledge these messages.
 */
async function waitForEmptyQueues({ rabbitmq }: Trial): Promise<string | undefined> {
  const deadlineMs = performance.now() + emptyTimeoutMs;
  for (;;) {
    const counts = await countMessages(rabbitmq);
    const notEmpty = [alertFiredQueue, deliveriesQueue, unroutedQueue].filter(
      (queue) => (counts.get(queue) ?? 0) > 0,
    );
    if (notEmpty.length === 0) return undefined;
    if (performance.now() > deadlineMs) return `messages remain in ${notEmpty.join(' and ')}`;
    await sleep(500);
  }
}

/** Returns the number of messages in each queue, including unacknowledged ones. */
export async function countMessages(rabbitmq: Trial['rabbitmq']): Promise<Map<string, number>> {
  const table = await rabbitmq.control('list_queues', 'name', 'messages');
  // Each line contains a queue name, a tab and a number.
  return new Map(
    table.split('\n').flatMap((line) => {
      const [name, count] = line.split('\t');
      return name && /^\d+$/.test(count ?? '') ? [[name, Number(count)] as const] : [];
    }),
  );
}
