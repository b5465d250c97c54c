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
import { AppError, type FieldError, withTimeout } from '@tocsin/kit';
import { PublishError, type Publisher } from '@tocsin/messaging';
import type { AlertsReader } from './alerts-reader.js';

export interface PublishAlertDeps {
  reader: Pick<AlertsReader, 'findRuleWorkspace'>;
  publisher: Pick<Publisher, 'publish'>;
  now: () => Date;
  /** Looking the rule up may take so long, in milliseconds: a publisher that is told at once can go elsewhere. */
  ruleTimeoutMs?: number;
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
 *   the broker did not confirm, or the database does not answer: with that id it can be sent again, and is one alert.
 */
export function createPublishAlert(deps: PublishAlertDeps) {
  const { reader, publisher, now, ruleTimeoutMs = 2_000 } = deps;
  const check = createAlertFiredCheck();
  return async ({ workspaceId, body, requestId }: PublishAlertInput): Promise<string> => {
    const alert = accepted(check(complete(workspaceId, body, now())));
    if (alert.workspace_id !== workspaceId)
      throw invalid('/workspace_id', 'must be the workspace of the path');
    await requireRule(alert, { reader, ruleTimeoutMs });
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

async function requireRule(
  alert: AlertFired,
  { reader, ruleTimeoutMs }: Required<Pick<PublishAlertDeps, 'reader' | 'ruleTimeoutMs'>>,
): Promise<void> {
  const createError = () =>
    unavailable('The alert rule could not be looked up: the database does not answer', alert);
  const owner = await withTimeout(reader.findRuleWorkspace(alert.alert_rule_id), {
    timeoutMs: ruleTimeoutMs,
    createError,
  });
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
  const content = Buffer.from(writeJson(alert), 'utf8');
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
    throw unavailable('The broker has not confirmed the alert', alert, cause);
  }
}

/** JSON in which minus zero stays: a template prints it as Python does, `-0.0`. */
function writeJson(value: object): string {
  const members = Object.entries(value).flatMap(([name, member]) =>
    member === undefined ? [] : [`${JSON.stringify(name)}:${writeMember(member)}`],
  );
  return `{${members.join(',')}}`;
}

function writeMember(member: unknown): string {
  if (Object.is(member, -0)) return '-0.0';
  const isObject = typeof member === 'object' && member !== null && !Array.isArray(member);
  return isObject ? writeJson(member) : JSON.stringify(member);
}

function unavailable(why: string, { alert_id }: AlertFired, cause?: unknown): AppError {
  const detail = `${why}. It is safe to repeat the alert with this alert_id.`;
  return new AppError('unavailable', detail, { cause, retryAfterSeconds: 2, extra: { alert_id } });
}

function invalid(path: string, message: string): AppError {
  return refusal([{ path, message }]);
}

function refusal(errors: FieldError[]): AppError {
  return new AppError('validation_failed', 'The request body is not valid.', { errors });
}
