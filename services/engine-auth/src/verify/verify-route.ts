import type { Route } from '@tocsin/kit';
import { defineRoute } from './define-route.js';
import type { EngineCaller } from './engine-caller.js';

/** A forward-auth target for a reverse proxy, which asks with the method of the request that it holds. */
export function verifyRoute(): Route<EngineCaller> {
  return defineRoute({
    method: 'ALL',
    path: '/auth/verify',
    operationId: 'verifyCredential',
    summary: 'Whether the credential is valid, and whose it is.',
    tag: 'verification',
    access: 'token',
    responses: {
      204: {
        description: 'It is valid.',
        headers: {
          'X-Auth-Subject': 'The caller, percent-encoded.',
          'X-Auth-Kind': 'admin_key, user_key or jwt.',
          'X-Auth-Roles': 'Roles in the deployment, separated by commas.',
        },
      },
    },
    handler: ({ principal: { subject, kind, roles } }) => ({
      status: 204,
      headers: {
        'X-Auth-Subject': encodeURIComponent(subject),
        'X-Auth-Kind': kind,
        'X-Auth-Roles': roles.join(','),
      },
    }),
  });
}
