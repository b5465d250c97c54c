import { createPaged, type Paged, path } from './requests.js';
import type {
  Cancellation,
  CreateCancellation,
  CreateDispatch,
  CreateRedelivery,
  Dispatch,
  ListRedeliveriesQuery,
  Redelivery,
} from './schemas.js';
import type { CallOptions, Send } from './transport.js';

/** Jobs of one kind. Workers process all deliveries or alerts that match the filter of a job. */
export interface JobsApi<Filter, Job> {
  /**
   * Starts a job. The filter needs at least one member. The filter of a redelivery needs a member other than `status`.
   * With `all: true`, no other member is needed, and the job applies to the whole workspace.
   */
  create(filter: Filter, options?: CallOptions): Promise<Job>;
  /** Lists jobs, newest first. */
  list(query?: ListRedeliveriesQuery, options?: CallOptions): Paged<Job>;
  get(id: string, options?: CallOptions): Promise<Job>;
  /** Cancels a job. Its completed work is not undone. Resolves with the final state of the job. */
  cancel(id: string, options?: CallOptions): Promise<Job>;
}

/** Jobs that send ended deliveries again. Default of the filter's `status`: `failed`. */
export type RedeliveriesApi = JobsApi<CreateRedelivery, Redelivery>;
/**
 * Jobs that create deliveries for alerts without deliveries. Each alert is sent to the current webhooks of its rule. If
 * the rule is not registered, the alert is sent to the webhooks that it names.
 */
export type DispatchesApi = JobsApi<CreateDispatch, Dispatch>;
/** Jobs that end open deliveries. */
export type CancellationsApi = JobsApi<CreateCancellation, Cancellation>;

export function createJobsApi<Filter, Job>(
  send: Send,
  { workspace, plural }: { workspace: () => string; plural: string },
): JobsApi<Filter, Job> {
  const collection = () => `${path`/api/v1/workspaces/${workspace()}`}/${plural}`;
  const single = (id: string) => `${collection()}${path`/${id}`}`;
  return {
    create: async (body, options) =>
      (await send<Job>({ method: 'POST', path: collection(), body, options })).body,
    list: (query, options) => createPaged(send, { path: collection(), query, options }),
    get: async (id, options) => (await send<Job>({ method: 'GET', path: single(id), options })).body,
    cancel: async (id, options) => (await send<Job>({ method: 'DELETE', path: single(id), options })).body,
  };
}
