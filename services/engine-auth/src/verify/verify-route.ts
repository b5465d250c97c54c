import type { Route } from '@tocsin/kit';
import { defineRoute, type EngineCaller } from './engine-caller.js';

/**
 * Returns the endpoint that a reverse proxy calls to authenticate each request that it receives (forward auth). It
 * accepts every method, because the proxy uses the method of the original request.
 */
export function verifyRoute(): Route<EngineCaller> {
  return defineRoute({
    method: 'ALL',
    path: '/auth/verify',
    operationId: 'verifyCredential',
    summary: 'Verifies a credential and names its caller.',
    tag: 'verification',
    access: 'token',
    responses: {
      204: {
        description: 'The credential is valid.',
        headers: {
          'X-Auth-Issuer':
            'Issuer of the token, or tocsin-engine for a key. Issuer and subject together identify the caller.',
          'X-Auth-Subject': 'Subject of the caller, percent-encoded. Unique only within its issuer.',
          'X-Auth-Kind': 'admin_key, user_key or jwt.',
          'X-Auth-Roles': 'Roles in the deployment, separated by commas.',
        },
      },
    },
    handler: ({ principal: { issuer, subject, kind, roles } }) => ({
      status: 204,
      headers: {
        'X-Auth-Issuer': issuer,
        'X-Auth-Subject': encodeURIComponent(subject),
        'X-Auth-Kind': kind,
        'X-Auth-Roles': roles.join(','),
      },
    }),
  });
}
