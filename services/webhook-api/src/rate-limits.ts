import type { Principal } from '@tocsin/identity';
import { AppError, createRateLimiter, type Route } from '@tocsin/kit';
import type { WebhookApiLimits } from './config.js';
import { principalName } from './principal-name.js';

/** Monitors publish far more often than people and scripts call, and neither may use up the other's share. */
export const publishAlertOperation = 'publishAlert';

/** For `createHttpApp`: refuses a principal that asks too often. */
export function createRateLimits({ requestsPerMinute, alertsPerMinute }: WebhookApiLimits) {
  const requests = createRateLimiter({ perMinute: requestsPerMinute });
  const alerts = createRateLimiter({ perMinute: alertsPerMinute });
  return ({ principal, route }: { principal: Principal; route: Pick<Route, 'operationId'> }): void => {
    const limiter = route.operationId === publishAlertOperation ? alerts : requests;
    const decision = limiter.take(principalName(principal));
    if (decision.allowed) return;
    const { retryAfterSeconds } = decision;
    throw new AppError('too_many_requests', 'Too many requests within a minute.', { retryAfterSeconds });
  };
}
