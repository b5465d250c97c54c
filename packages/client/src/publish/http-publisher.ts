import { ApiError } from '../api/errors.js';
import { createPlatformClient } from '../api/platform-client.js';
import { isTransient } from '../is-transient.js';
import type { Session } from '../sessions/session.js';
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
  if (!isTransient(error)) return { kind: 'rejected' };
  return { kind: 'transient', waitMs: error instanceof ApiError ? error.retryAfterMs : undefined };
}
