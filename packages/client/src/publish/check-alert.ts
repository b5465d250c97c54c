import { createAlertFiredCheck, createCheck, type PublishAlert, publishAlertSchema } from '@tocsin/contracts';

/** A problem of an alert. `path` is a JSON pointer into the alert, empty for the alert as a whole. */
export interface AlertProblem {
  path: string;
  message: string;
}

/**
 * Returns a function that lists the problems of an alert, 20 at most and none for a valid one, without a server: as a body of
 * `POST …/alerts` (`rest`), or as a message that a program publishes without this package (`amqp`). Over AMQP `alert_id`,
 * `workspace_id` and `fired_at` are required, and unknown members are ignored. Only the services know rules and webhooks.
 */
export function createAlertCheck({ over }: { over: 'rest' | 'amqp' }): (alert: unknown) => AlertProblem[] {
  const checkMessage = createAlertFiredCheck();
  const problemsOfMessage = (message: unknown) => {
    const checked = checkMessage(message);
    return checked.ok ? [] : checked.faults;
  };
  if (over === 'amqp') return problemsOfMessage;
  const checkBody = createCheck<PublishAlert>(publishAlertSchema);
  return (alert) => {
    const body = checkBody(alert);
    return body.ok ? problemsOfMessage({ ...filledIn, ...body.value }) : body.faults;
  };
}

/** Members that the API fills in. */
const filledIn = {
  alert_id: '00000000-0000-4000-8000-000000000000',
  workspace_id: '00000000-0000-4000-8000-000000000000',
  fired_at: '2000-01-01T00:00:00Z',
};
