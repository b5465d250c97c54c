import type { RateLimiter } from '@tocsin/kit';
import { requireAllowed } from '../require-allowed.js';

/** Tests send requests to wherever the caller says: a workspace may send only so many. */
export interface ProbeLimit {
  /** @throws AppError `too_many_requests` */
  take(workspaceId: string): void;
}

export function createProbeLimit(limiter: RateLimiter): ProbeLimit {
  const detail = 'This workspace has tested too often within a minute.';
  return { take: (workspaceId) => requireAllowed(limiter.consume(workspaceId), detail) };
}
