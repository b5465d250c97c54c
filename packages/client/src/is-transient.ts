import { ApiError, ConnectionError } from './api/errors.js';
import { SessionError } from './sessions/session-error.js';

/**
 * Returns true for a failed call that can succeed later. A proxy in front of the API can send 408 and every status from
 * 500 on while the API restarts.
 */
export function isTransient(error: unknown): boolean {
  if (error instanceof ApiError) return error.status === 408 || error.status === 429 || error.status >= 500;
  if (error instanceof SessionError) return error.code === 'provider_unreachable';
  return error instanceof ConnectionError;
}
