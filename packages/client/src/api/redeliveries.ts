import { createPaged, type Paged } from './paged.js';
import { path } from './path.js';
import type { CreateRedelivery, ListRedeliveriesQuery, Redelivery } from './schemas.js';
import type { CallOptions, Send } from './transport.js';

/** Jobs that send many ended deliveries again. */
export interface RedeliveriesApi {
  /** Starts a job. The filter needs at least one member. Default of `status`: `failed`. */
  create(filter: CreateRedelivery, options?: CallOptions): Promise<Redelivery>;
  /** Lists jobs, newest first. */
  list(query?: ListRedeliveriesQuery, options?: CallOptions): Paged<Redelivery>;
  get(id: string, options?: CallOptions): Promise<Redelivery>;
  /** Cancels a job; deliveries that it has already sent stay sent. Resolves with the final state of the job. */
  cancel(id: string, options?: CallOptions): Promise<Redelivery>;
}

export function createRedeliveriesApi(send: Send, workspace: () => string): RedeliveriesApi {
  const collection = () => path`/api/v1/workspaces/${workspace()}/redeliveries`;
  const single = (id: string) => `${collection()}${path`/${id}`}`;
  return {
    create: async (body, options) =>
      (await send<Redelivery>({ method: 'POST', path: collection(), body, options })).body,
    list: (query, options) => createPaged(send, { path: collection(), query, options }),
    get: async (id, options) => (await send<Redelivery>({ method: 'GET', path: single(id), options })).body,
    cancel: async (id, options) =>
      (await send<Redelivery>({ method: 'DELETE', path: single(id), options })).body,
  };
}
