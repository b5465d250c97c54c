import type { Principal } from '@tocsin/identity';
import { createRateLimiter, type HttpAppOptions, type Route, requireWithinLimit } from '@tocsin/kit';
import { principalName } from './api-route.js';
import type { WebhookApiLimits } from './config.js';

/** Publishing has a limit of its own: monitors publish far more often than people and scripts send other requests. */
export const publishAlertOperation = 'publishAlert';

/**
 * Rate limits by principal and by workspace. A request counts for its workspace once it is authorized, so that callers
 * without a role cannot use up the limit of a workspace.
 */
export function createRateLimits(
  limits: WebhookApiLimits,
): Required<Pick<HttpAppOptions<Principal>, 'admit' | 'admitToWorkspace'>> {
  const ofPrincipal = createLimit(limits.requestsPerMinute, limits.alertsPerMinute);
  const ofWorkspace = createLimit(limits.workspaceRequestsPerMinute, limits.workspaceAlertsPerMinute);
  return {
    admit: ({ principal, route }) =>
      requireWithinLimit(ofPrincipal(principalName(principal), route), 'Too many requests within a minute.'),
    admitToWorkspace: ({ workspaceId, route }) =>
      requireWithinLimit(
        ofWorkspace(workspaceId, route),
        'Too many requests to this workspace within a minute.',
      ),
  };
}

function createLimit(requestsPerMinute: number, alertsPerMinute: number) {
  const requests = createRateLimiter({ perMinute: requestsPerMinute });
  const alerts = createRateLimiter({ perMinute: alertsPerMinute });
  return (key: string, { operationId }: Pick<Route, 'operationId'>) =>
    (operationId === publishAlertOperation ? alerts : requests).consume(key);
}
