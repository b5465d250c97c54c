import { requestIdHeader } from '@tocsin/contracts';
import type { QueueMessage } from '@tocsin/messaging';

const saneId = /^[\w.~:/+=@-]{1,128}$/;

/** The id of the request that the alert came by, where it came by one. */
export function requestIdOf({ headers }: QueueMessage): string | undefined {
  const id = headers[requestIdHeader];
  return typeof id === 'string' && saneId.test(id) ? id : undefined;
}
