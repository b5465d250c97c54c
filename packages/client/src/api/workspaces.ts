import { createPaged, type Paged } from './paged.js';
import type { ListWorkspacesQuery, Workspace } from './schemas.js';
import type { CallOptions, Send } from './transport.js';

export interface WorkspacesApi {
  /** Lists the workspaces that the caller can see. */
  list(query?: ListWorkspacesQuery, options?: CallOptions): Paged<Workspace>;
}

export function createWorkspacesApi(send: Send): WorkspacesApi {
  return { list: (query, options) => createPaged(send, { path: '/api/v1/workspaces', query, options }) };
}
