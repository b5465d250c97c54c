import { type Principal, principalId } from '@tocsin/identity';
import { createRateLimiter, type HttpAppOptions, type Route, requireWithinLimit } from '@tocsin/kit';
import type { ApiDeps } from './api-route.js';
import type { WebhookApiLimits } from './config.js';

export const publishAlertOperation = 'publishAlert';
export const publishBatchOperation = 'publishAlertBatch';

/**
 * Operations that publish alerts. They have a separate limit, because monitors publish far more often than other
 * clients send requests.
 */
const publishing = new Set<string>([publishAlertOperation, publishBatchOperation]);

/**
 * Creates the rate limits of principals and workspaces. A request counts towards the limit of its workspace only after
 * authorization, so that callers without a role cannot use up this limit.
 */
export function createRateLimits(
  limits: WebhookApiLimits,
): Required<Pick<HttpAppOptions<Principal>, 'admit' | 'admitToWorkspace'>> & Pick<ApiDeps, 'admitBatch'> {
  const ofPrincipal = createLimits(limits.requestsPerMinute, limits.alertsPerMinute);
  const ofWorkspace = createLimits(limits.workspaceRequestsPerMinute, limits.workspaceAlertsPerMinute);
  return {
    admit: ({ principal, route }) =>
      requireWithinLimit(limitOf(ofPrincipal, route).consume(principalId(principal)), details.principal),
    admitToWorkspace: ({ workspaceId, route }) =>
      requireWithinLimit(limitOf(ofWorkspace, route).consume(workspaceId), details.workspace),
    admitBatch({ principal, workspaceId, alerts }) {
      const uses = [
        { limit: ofPrincipal.alerts, key: principalId(principal), detail: details.principal },
        { limit: ofWorkspace.alerts, key: workspaceId, detail: details.workspace },
      ].map((use) => ({ ...use, decision: use.limit.consume(use.key, alerts - 1) }));
      if (uses.every(({ decision }) => decision.allowed)) return;
      for (const { limit, key, decision } of uses) limit.refund(key, decision.allowed ? alerts : 1);
      for (const { decision, detail } of uses) requireWithinLimit(decision, detail);
    },
  };
}

const details = {
  principal: 'Too many requests within a minute.',
  workspace: 'Too many requests to this workspace within a minute.',
};

function createLimits(requestsPerMinute: number, alertsPerMinute: number) {
  return {
    requests: createRateLimiter({ perMinute: requestsPerMinute }),
    alerts: createRateLimiter({ perMinute: alertsPerMinute }),
  };
}

function limitOf(
  { requests, alerts }: ReturnType<typeof createLimits>,
  { operationId }: Pick<Route, 'operationId'>,
) {
  return publishing.has(operationId) ? alerts : requests;
}
