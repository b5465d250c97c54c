import { createPaged, type Paged, path } from './requests.js';
import type { DeadLetter, ListDeadLettersQuery } from './schemas.js';
import type { CallOptions, Send } from './transport.js';

/**
 * Messages that could not be processed. The caller of `list` and `requeue` needs the role `tocsin_admin`, which applies
 * to all workspaces.
 */
export interface DeadLettersApi {
  list(query?: ListDeadLettersQuery, options?: CallOptions): Paged<DeadLetter>;
  /** Lists the dead letters whose message names the workspace. */
  listInWorkspace(query?: ListDeadLettersQuery, options?: CallOptions): Paged<DeadLetter>;
  requeue(id: string, options?: CallOptions): Promise<DeadLetter>;
}

export function createDeadLettersApi(send: Send, workspace: () => string): DeadLettersApi {
  return {
    list: (query, options) => createPaged(send, { path: '/api/v1/dead_letters', query, options }),
    listInWorkspace: (query, options) =>
      createPaged(send, { path: path`/api/v1/workspaces/${workspace()}/dead_letters`, query, options }),
    async requeue(id, options) {
      const request = { method: 'POST', path: path`/api/v1/dead_letters/${id}/requeue`, options } as const;
      return (await send<DeadLetter>(request)).body;
    },
  };
}
