import { type DeliveryDue, decodeDeliveriesDue } from '@tocsin/contracts';
import type { QueueMessage } from '@tocsin/messaging';
import type { SettleMessage } from '../dead-letters/dead-letters.js';
import type { Limit } from '../in-turn/limit.js';
import type { Deliver } from './deliver.js';

export interface HandleDueDeps {
  deliver: Pick<Deliver, 'due'>;
  /** How many go on at once. */
  places: Limit;
  settle: SettleMessage;
}

/** Carries out the deliveries that a message names. One that nobody can read is set aside: what is owed stands in rows. */
export function createHandleDue(deps: HandleDueDeps) {
  return (message: QueueMessage): void => {
    const due = decodeDeliveriesDue(message.content);
    if (due === undefined) deps.settle(message, unreadable);
    else
      carryOutAll(due, message, deps).then(
        () => deps.settle(message, { kind: 'processed' }),
        (error: unknown) => deps.settle(message, { kind: 'error', error }),
      );
  };
}

const unreadable = {
  kind: 'unprocessable',
  reason: 'malformed_message',
  detail: 'The message is no list of deliveries that are due: only Tocsin publishes here.',
} as const;

async function carryOutAll(
  due: DeliveryDue[],
  message: QueueMessage,
  { deliver, places }: HandleDueDeps,
): Promise<void> {
  // One that has been handed back while it waited for its turn is another worker's.
  const takeUp = async (one: DeliveryDue, sent: () => void) =>
    message.isReturned() ? undefined : deliver.due(one, sent);
  const ended = await Promise.allSettled(due.map((one) => places.run((sent) => takeUp(one, sent))));
  const failed = ended.find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
