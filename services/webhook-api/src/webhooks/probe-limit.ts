import { AppError, type RateLimiter } from '@tocsin/kit';

/** Tests send requests to wherever the caller says: a workspace may send only so many. */
export interface ProbeLimit {
  /** @throws AppError `too_many_requests` */
  take(workspaceId: string): void;
}

export function createProbeLimit(limiter: RateLimiter): ProbeLimit {
  return {
    take(workspaceId) {
      const decision = limiter.take(workspaceId);
      if (decision.allowed) return;
      const { retryAfterSeconds } = decision;
      throw new AppError('too_many_requests', 'This workspace has tested too often within a minute.', {
        retryAfterSeconds,
      });
    },
  };
}
