import { uuid } from '@tocsin/contracts';
import type { Database, SecretBox } from '@tocsin/database';
import type { Sender } from '@tocsin/egress';
import {
  defineRoute,
  hasPermission,
  type Permission,
  type Principal,
  presentWhoami,
  whoamiSchema,
} from '@tocsin/identity';
import { AppError, type Route } from '@tocsin/kit';
import type { Publisher } from '@tocsin/messaging';
import type { WebhookApiConfig } from './config.js';
import type { Paging } from './lists/paging.js';
import type { ReadLimiter } from './lists/read-limiter.js';
import type { OpenDeliveryQuota } from './open-delivery-quota.js';

/** Dependencies that the routes of all features share. */
export interface ApiDeps {
  config: Pick<WebhookApiConfig, 'egress' | 'limits' | 'publicUrl'>;
  database: Database;
  publisher: Publisher;
  sender: Sender;
  secretBox: SecretBox;
  paging: Paging;
  quota: OpenDeliveryQuota;
  /** Limits concurrent searches of history tables, for example of alerts, which can have millions of rows. */
  searchLimiter: ReadLimiter;
  /** Limits concurrent reads of other long results, for example complete lists of webhooks. */
  listLimiter: ReadLimiter;
  /**
   * Counts the alerts of a batch towards the rate limits, except the first one, which was counted with the request. If
   * the batch is rejected, none of its alerts count.
   * @throws AppError `too_many_requests` if the batch exceeds a rate limit
   */
  admitBatch(batch: { principal: Principal; workspaceId: string; alerts: number }): void;
  now: () => Date;
}

/** Prefix of the paths of all operations that need a credential. */
export const apiPrefix = '/api/v1';

/** Creates the schema of path parameters that are UUIDs. */
export function idParams<const Name extends string>(...names: Name[]) {
  const properties = Object.fromEntries(names.map((name) => [name, uuid])) as Record<Name, typeof uuid>;
  return { type: 'object', additionalProperties: false, properties, required: names } as const;
}

export const workspaceParams = idParams('workspace_id');

/** Schema of a body without fields. */
export const emptyBody = { type: 'object', additionalProperties: false, examples: [{}] } as const;

/** Returns the path of a collection in a workspace. */
export function pathIn(collection: string, workspaceId: string): string {
  return collection.replace('{workspace_id}', workspaceId);
}

/**
 * Returns the permission that a route below `/workspaces/{workspace_id}` needs, and a function that reads the workspace
 * from the path. Another system manages the workspaces, so every UUID is accepted as a workspace id.
 */
export function inWorkspace<const P extends Permission>(permission: P) {
  return {
    permission,
    locate: ({ workspace_id }: { workspace_id: string }) => {
      const workspaceId = workspace_id.toLowerCase();
      return { workspaceId, resource: { workspaceId } };
    },
  };
}

/**
 * Returns the permission that a route needs, and a function that loads the resource with its workspace, for a route
 * whose path does not contain the workspace. `load` throws `not_found` for an unknown id.
 */
export function ofResource<const P extends Permission, Params, Resource extends { workspaceId: string }>(
  permission: P,
  load: (params: Params) => Promise<Resource>,
) {
  return {
    permission,
    locate: async (params: Params) => {
      const resource = await load(params);
      return { workspaceId: resource.workspaceId, resource };
    },
  };
}

/** Returns the permission that a route needs if its resource belongs to the whole deployment, not to a workspace. */
export function ofDeployment<const P extends Permission>(permission: P) {
  return { permission, locate: () => ({ workspaceId: null, resource: undefined }) };
}

/** Returns the 404 error for an unknown id. `kind` completes "There is no ... with this id." */
export function notFound(kind: string): AppError {
  return new AppError('not_found', `There is no ${kind} with this id.`);
}

/** Returns the resource that was found, or throws the 404 error. */
export function orNotFound<Found>(found: Found | undefined, kind: string): Found {
  if (found === undefined) throw notFound(kind);
  return found;
}

/**
 * Creates a function that loads the resource whose id is the path parameter `name`. The function throws the 404 error
 * for an unknown id.
 */
export function loaderOf<const Name extends string, Resource>(
  name: Name,
  kind: string,
  find: (id: string) => Promise<Resource | undefined>,
) {
  return async (params: Record<Name, string>): Promise<Resource> =>
    orNotFound(await find(params[name]), kind);
}

/**
 * Returns the roles of a caller in a workspace and in the deployment, as one text. Callers with the same text get the
 * same responses, so they can share cached responses. Returns undefined for a caller that sees only its own alerts,
 * because its responses are never shared.
 */
export function audienceOf(principal: Principal, workspaceId: string): string | undefined {
  if (!hasPermission(principal, 'alert_read_all', workspaceId)) return undefined;
  const { workspaceRoles, deploymentRoles } = principal;
  return [...(workspaceRoles.get(workspaceId) ?? []), ...deploymentRoles].sort().join();
}

export function whoamiRoute(): Route<Principal> {
  return defineRoute({
    method: 'GET',
    path: `${apiPrefix}/whoami`,
    operationId: 'whoami',
    summary: 'Reads the caller and its roles by workspace.',
    tag: 'service',
    access: 'token',
    responses: { 200: { description: 'The caller.', schema: whoamiSchema } },
    handler: ({ principal }) => ({ status: 200, body: presentWhoami(principal) }),
  });
}
