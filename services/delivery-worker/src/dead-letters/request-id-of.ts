import { requestIdHeader } from '@tocsin/contracts';
import type { Incoming } from '@tocsin/messaging';

const saneId = /^[\w.~:/+=@-]{1,128}$/;

/** The id of the request that the alert came by, where it came by one. */
export function requestIdOf({ headers }: Incoming): string | undefined {
  const id = headers[requestIdHeader];
  return typeof id === 'string' && saneId.test(id) ? id : undefined;
}
