import { ApiError, ConnectionError } from '../api/errors.js';
import { createPlatformClient } from '../api/platform-client.js';
import type { Session } from '../sessions/session.js';
import { SessionError } from '../sessions/session-error.js';
import type { AlertPublisher } from './alert-publisher.js';
import {
  createAlertPublisher,
  type PublisherOptions,
  type PublishFailure,
} from './create-alert-publisher.js';

export interface HttpPublisherOptions extends PublisherOptions {
  /** Base URL of the platform API. */
  url: string;
  credential: Session | string;
}

/**
 * Publishes through the platform API, which responds after the broker has confirmed the alert. The credential must have
 * a role that may publish alerts, such as `publisher`.
 */
export function createHttpPublisher(options: HttpPublisherOptions): AlertPublisher {
  // The alert publisher retries within its time limit, so the API client must not retry.
  const platform = createPlatformClient({ ...options, maxTries: 1 });
  return createAlertPublisher(
    {
      async send(alert, signal) {
        await platform.inWorkspace(alert.workspace_id).alerts.fire(alert, { signal });
      },
      classify,
      close: async () => {},
    },
    options,
  );
}

function classify(error: unknown): PublishFailure {
  if (error instanceof ApiError) {
    const { status, retryAfterMs } = error;
    // A proxy in front of the API can send 408 and every status from 500 on while the API restarts.
    const isTransient = status === 408 || status === 429 || status >= 500;
    return isTransient ? { kind: 'transient', waitMs: retryAfterMs } : { kind: 'refused' };
  }
  const isUnreachable = error instanceof SessionError && error.code === 'provider_unreachable';
  return { kind: isUnreachable || error instanceof ConnectionError ? 'transient' : 'refused' };
}
