import type { Permission } from '@tocsin/identity';

/** In front of every path of the platform API but the public ones. */
export const apiPrefix = '/api/v1';

export const workspaceParams = {
  type: 'object',
  additionalProperties: false,
  properties: { workspace_id: { type: 'string', format: 'uuid' } },
  required: ['workspace_id'],
} as const;

/** Of a collection that every workspace has, the path of this one's. */
export function pathIn(collection: string, workspaceId: string): string {
  return collection.replace('{workspace_id}', workspaceId);
}

/** What a workspace's own paths resolve to. Workspaces are owned elsewhere: any UUID is one, so never a 404. */
interface Workspace {
  workspaceId: string;
}

/** Access to a path under `/workspaces/{workspace_id}`. */
export function inWorkspace<const P extends Permission>(permission: P) {
  return {
    permission,
    locate: ({ workspace_id }: { workspace_id: string }) => {
      const workspaceId = workspace_id.toLowerCase();
      return { workspaceId, resource: { workspaceId } satisfies Workspace };
    },
  };
}
