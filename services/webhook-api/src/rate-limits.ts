import type { Principal } from '@tocsin/identity';
import { createRateLimiter, type Route, requireWithinLimit } from '@tocsin/kit';
import { principalName } from './api-route.js';
import type { WebhookApiLimits } from './config.js';

/** Publishing has a limit of its own: monitors publish far more often than people and scripts send other requests. */
export const publishAlertOperation = 'publishAlert';

/** Rate limits by principal, for the option `admit` of `createHttpApp`. */
export function createRateLimits({ requestsPerMinute, alertsPerMinute }: WebhookApiLimits) {
  const requests = createRateLimiter({ perMinute: requestsPerMinute });
  const alerts = createRateLimiter({ perMinute: alertsPerMinute });
  return ({ principal, route }: { principal: Principal; route: Pick<Route, 'operationId'> }): void => {
    const limiter = route.operationId === publishAlertOperation ? alerts : requests;
    requireWithinLimit(limiter.consume(principalName(principal)), 'Too many requests within a minute.');
  };
}
