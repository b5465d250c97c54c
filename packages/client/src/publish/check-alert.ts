import { createAlertFiredCheck, createCheck, type PublishAlert, publishAlertSchema } from '@tocsin/contracts';

/**
 * An error in an alert. `path` is the JSON pointer of the invalid member; it is empty if the error concerns the whole
 * alert.
 */
export interface AlertProblem {
  path: string;
  message: string;
}

/**
 * Returns a function that checks an alert without a server. The function returns at most 20 problems, or an empty list
 * for a valid alert. With `rest`, the alert is a body of `POST …/alerts`. With `amqp`, the alert is a message that a
 * program publishes without this package: `alert_id`, `workspace_id` and `fired_at` are required, and unknown members
 * are ignored. The function cannot check whether rules and webhooks exist.
 */
export function createAlertCheck({ over }: { over: 'rest' | 'amqp' }): (alert: unknown) => AlertProblem[] {
  const checkMessage = createAlertFiredCheck();
  const problemsOfMessage = (message: unknown) => {
    const checked = checkMessage(message);
    return checked.ok ? [] : checked.errors;
  };
  if (over === 'amqp') return problemsOfMessage;
  const checkBody = createCheck<PublishAlert>(publishAlertSchema);
  return (alert) => {
    const body = checkBody(alert);
    return body.ok ? problemsOfMessage({ ...filledIn, ...body.value }) : body.errors;
  };
}

/** Valid values for required members that the REST API adds to a published alert. */
const filledIn = {
  alert_id: '00000000-0000-4000-8000-000000000000',
  workspace_id: '00000000-0000-4000-8000-000000000000',
  fired_at: '2000-01-01T00:00:00Z',
};
