import { isEndedStatus } from '@tocsin/contracts/browser';

/** Returns true if there is at least one delivery, and all deliveries have ended. */
export function haveEnded(deliveries: readonly { status: string }[] = []): boolean {
  return deliveries.length > 0 && deliveries.every(({ status }) => isEndedStatus(status));
}
