import { workspaceSchema } from '@tocsin/contracts';
import { lowestId } from '@tocsin/database';
import { defineRoute, type Principal } from '@tocsin/identity';
import type { Route } from '@tocsin/kit';
import { type ApiDeps, apiPrefix } from '../api-route.js';
import { listQuery, listResponse } from '../lists/paging.js';
import { createWorkspacesReader } from './workspaces-reader.js';

const path = `${apiPrefix}/workspaces`;
const defaultLimit = 1_000;

export function workspaceRoutes({ database, listLimiter, paging }: ApiDeps): Route<Principal>[] {
  const reader = createWorkspacesReader(database);
  return [
    defineRoute({
      method: 'GET',
      path,
      operationId: 'listWorkspaces',
      summary: 'Lists the workspaces that the caller has a role in, by id.',
      description:
        'An admin of the deployment also sees every workspace that has a webhook, an alert rule, an alert or settings.',
      tag: 'service',
      access: 'token',
      query: listQuery({}),
      responses: { 200: listResponse('The workspaces.', workspaceSchema) },
      problems: [503],
      async handler({ principal, query }) {
        const list = { path, query };
        const { limit = defaultLimit } = query;
        const [after = lowestId] = paging.positionOf(list) ?? [];
        const idsAfter = async (after: string, max: number) => {
          const owned = principal.deploymentRoles.has('tocsin_admin')
            ? await listLimiter.run(null, () => reader.listOwners({ after, limit: max }))
            : [];
          const ids = new Set([...principal.workspaceRoles.keys(), ...owned]);
          return [...ids].filter((id) => id > after).sort();
        };
        const ids = await idsAfter(after, limit + 1);
        const count = async (max: number) => (await idsAfter(lowestId, max)).length;
        const { rows, headers } = await paging.page(list, ids, { limit, keyOf: (id) => [id], count });
        const names = await reader.findNames(rows);
        return { status: 200, headers, body: rows.map((id) => ({ id, name: names.get(id) ?? null })) };
      },
    }),
  ];
}
