import { path } from './path.js';
import type { PatchWorkspaceSettings, WorkspaceSettings } from './schemas.js';
import type { CallOptions, Send } from './transport.js';

/** Settings of the workspace. */
export interface SettingsApi {
  get(options?: CallOptions): Promise<WorkspaceSettings>;
  /** Changes the given fields. Needs an admin of the workspace. */
  update(changes: PatchWorkspaceSettings, options?: CallOptions): Promise<WorkspaceSettings>;
}

export function createSettingsApi(send: Send, workspace: () => string): SettingsApi {
  const single = () => path`/api/v1/workspaces/${workspace()}/settings`;
  return {
    get: async (options) => (await send<WorkspaceSettings>({ method: 'GET', path: single(), options })).body,
    async update(body, options) {
      const request = { method: 'PATCH', path: single(), body, idempotent: true, options } as const;
      return (await send<WorkspaceSettings>(request)).body;
    },
  };
}
