import { defineRoute, type Principal, presentWhoami, whoamiSchema } from '@tocsin/identity';
import type { Route } from '@tocsin/kit';
import { apiPrefix } from '../api-route.js';

/** Who the caller is, for any valid token. */
export function whoamiRoute(): Route<Principal> {
  return defineRoute({
    method: 'GET',
    path: `${apiPrefix}/whoami`,
    operationId: 'whoami',
    summary: 'The caller, and its roles by workspace.',
    tag: 'service',
    access: 'token',
    responses: { 200: { description: 'The caller.', schema: whoamiSchema } },
    handler: ({ principal }) => ({ status: 200, body: presentWhoami(principal) }),
  });
}
