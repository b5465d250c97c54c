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
import { isDatabaseUnavailable } from '@tocsin/database';
import { AppError, invalidBody, withTimeout } from '@tocsin/kit';
import { PublishError, type Publisher } from '@tocsin/messaging';
import type { OpenDeliveryQuota } from '../open-delivery-quota.js';
import type { AlertsReader, RuleOfAlert } from './alerts-reader.js';

export interface PublishAlertDeps {
  reader: Pick<AlertsReader, 'findRule'>;
  publisher: Pick<Publisher, 'publish'>;
  quota: OpenDeliveryQuota;
  now: () => Date;
  /** Timeout of the rule lookup; 2 s unless given. An early error lets a publisher try another instance. */
  ruleTimeoutMs?: number;
}

interface PublishAlertInput {
  workspaceId: string;
  body: PublishAlert;
  /** Id of the request. It is sent with the message, and the logs of its deliveries contain it. */
  requestId: string;
}

/**
 * Publishes an alert of a workspace and returns its id when the broker has confirmed and routed it.
 * @throws AppError `validation_failed` for a workspace, a rule or webhooks that do not match the path; `too_many_requests`
 *   when the workspace has too many open deliveries; `unavailable` with the alert's id when the broker or the database does not respond. A retry with that id is the same alert.
 */
export function createPublishAlert(deps: PublishAlertDeps) {
  const { reader, publisher, quota, now, ruleTimeoutMs = 2_000 } = deps;
  const check = createAlertFiredCheck();
  return async ({ workspaceId, body, requestId }: PublishAlertInput): Promise<string> => {
    const alert = validated(check(complete(workspaceId, body, now())));
    if (alert.workspace_id !== workspaceId)
      throw invalid('/workspace_id', 'must be the workspace of the path');
    await requireAccepted(alert, { reader, quota, ruleTimeoutMs });
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

function validated(checked: Checked<AlertFired>): AlertFired {
  if (checked.ok) return checked.value;
  throw invalidBody(checked.faults);
}

async function requireAccepted(
  alert: AlertFired,
  { reader, quota, ruleTimeoutMs }: Required<Pick<PublishAlertDeps, 'reader' | 'quota' | 'ruleTimeoutMs'>>,
): Promise<void> {
  const createError = () =>
    unavailable('The alert rule could not be looked up: the database does not respond', alert);
  const { alert_rule_id: alertRuleId, workspace_id: workspaceId, alert_rule: ownRule } = alert;
  const webhookIds = ownRule?.notification_webhook_ids ?? [];
  const lookUp = async () => {
    await quota.requireRoom(workspaceId);
    return reader.findRule({ alertRuleId, workspaceId, webhookIds });
  };
  const rule = await withTimeout(lookUp(), { timeoutMs: ruleTimeoutMs, createError }).catch((error) => {
    throw isDatabaseUnavailable(error) ? createError() : error;
  });
  if (rule.workspaceId === null && ownRule !== undefined) return requireWebhooks(rule);
  if (rule.workspaceId === workspaceId) return;
  throw invalid(
    '/alert_rule_id',
    'is not an alert rule of this workspace; a monitor that keeps its own rules sends alert_rule with it',
  );
}

function requireWebhooks({ unknownWebhookIds: unknown }: RuleOfAlert): void {
  if (unknown.length === 0) return;
  throw invalid(
    '/alert_rule/notification_webhook_ids',
    `must name webhooks of this workspace; unknown in it: ${unknown.join(', ')}`,
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
    throw unavailable('The broker did not confirm the alert', alert, cause);
  }
}

/** JSON that keeps minus zero: a template prints it as Python does, `-0.0`. */
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
  return invalidBody([{ path, message }]);
}
