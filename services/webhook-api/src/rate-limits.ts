import type { Principal } from '@tocsin/identity';
import { createRateLimiter, type Route } from '@tocsin/kit';
import type { WebhookApiLimits } from './config.js';
import { principalName } from './principal-name.js';
import { requireAllowed } from './require-allowed.js';

/** Monitors publish far more often than people and scripts call, and neither may use up the other's share. */
export const publishAlertOperation = 'publishAlert';

/** For `createHttpApp`: refuses a principal that asks too often. */
export function createRateLimits({ requestsPerMinute, alertsPerMinute }: WebhookApiLimits) {
  const requests = createRateLimiter({ perMinute: requestsPerMinute });
  const alerts = createRateLimiter({ perMinute: alertsPerMinute });
  return ({ principal, route }: { principal: Principal; route: Pick<Route, 'operationId'> }): void => {
    const limiter = route.operationId === publishAlertOperation ? alerts : requests;
    requireAllowed(limiter.consume(principalName(principal)), 'Too many requests within a minute.');
  };
}
