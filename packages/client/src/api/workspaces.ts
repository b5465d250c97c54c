import { createPaged, type Paged, path, sendTagged, type Tagged } from './requests.js';
import type { ListWorkspacesQuery, PatchWorkspaceSettings, Workspace, WorkspaceSettings } from './schemas.js';
import type { CallOptions, ChangeOptions, Send } from './transport.js';

export interface WorkspacesApi {
  /** Lists the workspaces that the caller can see. */
  list(query?: ListWorkspacesQuery, options?: CallOptions): Paged<Workspace>;
}

export function createWorkspacesApi(send: Send): WorkspacesApi {
  return { list: (query, options) => createPaged(send, { path: '/api/v1/workspaces', query, options }) };
}

/** Settings of the workspace. */
export interface SettingsApi {
  get(options?: CallOptions): Promise<Tagged<WorkspaceSettings>>;
  /** Changes only the given fields. The caller must be an admin of the workspace. */
  update(changes: PatchWorkspaceSettings, options?: ChangeOptions): Promise<Tagged<WorkspaceSettings>>;
}

export function createSettingsApi(send: Send, workspace: () => string): SettingsApi {
  const single = () => path`/api/v1/workspaces/${workspace()}/settings`;
  return {
    get: (options) => sendTagged(send, { method: 'GET', path: single(), options }),
    update: (body, options) =>
      sendTagged(send, { method: 'PATCH', path: single(), body, idempotent: true, options }),
  };
}
