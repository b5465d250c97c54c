import { ConnectionError, TooManyRequestsError, UnavailableError } from '../api/errors.js';
import { createPlatformClient } from '../api/platform-client.js';
import type { Session } from '../sessions/session.js';
import { SessionError } from '../sessions/session-error.js';
import type { AlertPublisher } from './alert-publisher.js';
import { createAlertPublisher, type Judgement, type PublisherOptions } from './create-alert-publisher.js';

export interface HttpPublisherOptions extends PublisherOptions {
  /** The platform API's address. */
  url: string;
  credential: Session | string;
}

/** A publisher over the platform API, which answers once the broker has confirmed. Needs the role `publisher`. */
export function createHttpPublisher(options: HttpPublisherOptions): AlertPublisher {
  // One try at a time: how long an alert is tried for is the publisher's to count.
  const platform = createPlatformClient({ ...options, maxTries: 1 });
  return createAlertPublisher(
    {
      async send(alert, signal) {
        await platform.inWorkspace(alert.workspace_id).alerts.fire(alert, { signal });
      },
      judge,
      close: async () => {},
    },
    options,
  );
}

function judge(error: unknown): Judgement {
  if (error instanceof UnavailableError || error instanceof TooManyRequestsError) {
    return { kind: 'transient', waitMs: error.retryAfterMs };
  }
  const away = error instanceof SessionError && error.code === 'provider_unreachable';
  return { kind: away || error instanceof ConnectionError ? 'transient' : 'refused' };
}
