import { randomUUID } from 'node:crypto';
import {
  type AlertFired,
  alertFiredKey,
  alertsExchange,
  type Checked,
  createAlertFiredCheck,
  type PublishAlert,
  requestIdHeader,
} from '@tocsin/contracts';
import { AppError, type FieldError } from '@tocsin/kit';
import { PublishError, type Publisher } from '@tocsin/messaging';
import type { AlertsReader } from './alerts-reader.js';

export interface PublishAlertDeps {
  reader: Pick<AlertsReader, 'findRuleWorkspace'>;
  publisher: Pick<Publisher, 'publish'>;
  now: () => Date;
}

interface PublishAlertInput {
  workspaceId: string;
  body: PublishAlert;
  /** Goes along with the message, so that the logs of its deliveries can be found by it. */
  requestId: string;
}

/**
 * Publishes an alert of a workspace; its id, once the broker has confirmed and routed it.
 * @throws AppError `validation_failed` for another workspace's path or rule; `unavailable` with the alert's id where
 *   the broker did not confirm: with that id it can be sent again, and is one alert.
 */
export function createPublishAlert({ reader, publisher, now }: PublishAlertDeps) {
  const check = createAlertFiredCheck();
  return async ({ workspaceId, body, requestId }: PublishAlertInput): Promise<string> => {
    const alert = accepted(check(complete(workspaceId, body, now())));
    if (alert.workspace_id !== workspaceId)
      throw invalid('/workspace_id', 'must be the workspace of the path');
    await requireRule(alert, reader);
    await publish(alert, { publisher, requestId });
    return alert.alert_id;
  };
}

function complete(workspaceId: string, body: PublishAlert, now: Date) {
  return {
    workspace_id: workspaceId,
    alert_id: randomUUID(),
    fired_at: now.toISOString(),
    ...body,
    type: 'alert.fired',
    version: 1,
  };
}

function accepted(checked: Checked<AlertFired>): AlertFired {
  if (checked.ok) return checked.value;
  throw refusal(checked.faults);
}

async function requireRule(alert: AlertFired, reader: PublishAlertDeps['reader']): Promise<void> {
  const owner = await reader.findRuleWorkspace(alert.alert_rule_id);
  const known = owner === undefined ? alert.alert_rule !== undefined : owner === alert.workspace_id;
  if (known) return;
  throw invalid(
    '/alert_rule_id',
    'is not an alert rule of this workspace; a monitor that keeps its own rules sends alert_rule with it',
  );
}

async function publish(
  alert: AlertFired,
  { publisher, requestId }: Pick<PublishAlertDeps, 'publisher'> & { requestId: string },
): Promise<void> {
  const content = Buffer.from(JSON.stringify(alert), 'utf8');
  try {
    await publisher.publish({
      exchange: alertsExchange,
      routingKey: alertFiredKey,
      content,
      type: 'alert.fired',
      headers: { [requestIdHeader]: requestId },
    });
  } catch (cause) {
    if (!(cause instanceof PublishError)) throw cause;
    const detail = 'The broker has not confirmed the alert. It is safe to repeat it with this alert_id.';
    throw new AppError('unavailable', detail, {
      cause,
      retryAfterSeconds: 2,
      extra: { alert_id: alert.alert_id },
    });
  }
}

function invalid(path: string, message: string): AppError {
  return refusal([{ path, message }]);
}

function refusal(errors: FieldError[]): AppError {
  return new AppError('validation_failed', 'The request body is not valid.', { errors });
}
