import { createPaged, type Paged, sendTagged, type Tagged } from './requests.js';
import type { CallOptions, ChangeOptions, Send } from './transport.js';

interface Paths {
  collection(): string;
  single(id: string): string;
}

/** Creates the operations that webhooks and alert rules have in common. `Saved` is the response to a change. */
export function createResourceOperations<Resource extends object, Saved extends object = Resource>(
  send: Send,
  { collection, single }: Paths,
) {
  return {
    list: (query?: object, options?: CallOptions): Paged<Resource> =>
      createPaged(send, { path: collection(), query, options }),
    create: (body: object, options?: CallOptions): Promise<Tagged<Saved>> =>
      sendTagged(send, { method: 'POST', path: collection(), body, options }),
    get: (id: string, options?: CallOptions): Promise<Tagged<Resource>> =>
      sendTagged(send, { method: 'GET', path: single(id), options }),
    update: (id: string, body: object, options?: ChangeOptions): Promise<Tagged<Saved>> =>
      sendTagged(send, { method: 'PATCH', path: single(id), body, idempotent: true, options }),
  };
}
