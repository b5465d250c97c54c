import { type DeliveryDue, decodeDeliveriesDue } from '@tocsin/contracts';
import type { Incoming } from '@tocsin/messaging';
import type { SetAside } from '../dead-letters/set-aside.js';
import type { Limit } from '../in-turn/limit.js';
import type { Deliver } from './deliver.js';

export interface HandleDueDeps {
  deliver: Pick<Deliver, 'due'>;
  /** How many go on at once. */
  places: Limit;
  setAside: SetAside;
}

/** Carries out the deliveries that a message names. One that nobody can read is set aside: what is owed stands in rows. */
export function createHandleDue(deps: HandleDueDeps) {
  return (message: Incoming): Promise<void> | undefined => {
    const due = decodeDeliveriesDue(message.content);
    if (due !== undefined) return carryOutAll(due, message, deps);
    deps.setAside(message, { reason: 'malformed_message', detail: unreadable });
    return undefined;
  };
}

const unreadable = 'The message is no list of deliveries that are due: only Tocsin publishes here.';

async function carryOutAll(
  due: DeliveryDue[],
  message: Incoming,
  { deliver, places }: HandleDueDeps,
): Promise<void> {
  // One that has been handed back while it waited for its turn is another worker's.
  const takeUp = async (one: DeliveryDue, sent: () => void) =>
    message.isHandedBack() ? undefined : deliver.due(one, sent);
  const ended = await Promise.allSettled(due.map((one) => places.run((sent) => takeUp(one, sent))));
  const failed = ended.find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
