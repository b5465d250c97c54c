import { ConnectionError, TooManyRequestsError, UnavailableError } from '../api/errors.js';
import { createPlatformClient } from '../api/platform-client.js';
import type { Session } from '../sessions/session.js';
import { SessionError } from '../sessions/session-error.js';
import type { AlertPublisher } from './alert-publisher.js';
import { createAlertPublisher, type PublisherOptions } from './create-alert-publisher.js';

export interface HttpPublisherOptions extends PublisherOptions {
  /** The platform API's address. */
  url: string;
  credential: Session | string;
}

/** A publisher over the platform API, which answers once the broker has confirmed. Needs the role `publisher`. */
export function createHttpPublisher(options: HttpPublisherOptions): AlertPublisher {
  const platform = createPlatformClient(options);
  return createAlertPublisher(
    {
      async send(alert, signal) {
        await platform.inWorkspace(alert.workspace_id).alerts.fire(alert, { signal });
      },
      judge: (error) => (isTransient(error) ? 'transient' : 'refused'),
      close: async () => {},
    },
    options,
  );
}

function isTransient(error: unknown): boolean {
  return (
    error instanceof ConnectionError ||
    error instanceof UnavailableError ||
    error instanceof TooManyRequestsError ||
    (error instanceof SessionError && error.code === 'provider_unreachable')
  );
}
