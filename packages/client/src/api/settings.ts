import { path } from './path.js';
import type { PatchWorkspaceSettings, WorkspaceSettings } from './schemas.js';
import { sendTagged, type Tagged } from './tagged.js';
import type { CallOptions, ChangeOptions, Send } from './transport.js';

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
