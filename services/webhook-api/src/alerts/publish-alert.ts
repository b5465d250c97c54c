import { randomUUID } from 'node:crypto';
import {
  type AlertFired,
  alertFiredKey,
  alertsExchange,
  type Checked,
  createAlertFiredCheck,
  type PublishAlert as PublishAlertBody,
  requestIdHeader,
} from '@tocsin/contracts';
import { isDatabaseUnavailable } from '@tocsin/database';
import { AppError, type FieldError, invalidBody, isUuid, withTimeout } from '@tocsin/kit';
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
  body: PublishAlertBody;
  /** Id of the request. It is sent with the message, and the logs of its deliveries contain it. */
  requestId: string;
}

export interface PublishAlert {
  /**
   * Publishes an alert of a workspace and returns its id when the broker has confirmed and routed it.
   * @throws AppError `validation_failed` with all errors, also for a workspace, a rule or webhooks that do not match the path;
   *   `too_many_requests` when the workspace has too many open deliveries; `unavailable` with the alert's id when the broker or
   *   the database does not respond. A retry with that id is the same alert.
   */
  publish(input: PublishAlertInput): Promise<string>;
  /** Lists the errors of workspace, rule and webhooks in a body that its schema has refused. */
  errorsOf(workspaceId: string, body: Readonly<Record<string, unknown>>): Promise<FieldError[]>;
}

export function createPublishAlert(deps: PublishAlertDeps): PublishAlert {
  const { reader, publisher, quota, now, ruleTimeoutMs = 2_000 } = deps;
  const check = createAlertFiredCheck();
  const findErrors = async (workspaceId: string, named: NamedResources) => {
    const rule = await reader.findRule({
      alertRuleId: named.alertRuleId,
      workspaceId,
      webhookIds: named.webhookIds ?? [],
    });
    return errorsOfRule(workspaceId, named, rule);
  };
  return {
    async publish({ workspaceId, body, requestId }) {
      const alert = validated(check(complete(workspaceId, body, now())));
      const createError = () =>
        unavailable('The alert rule could not be looked up: the database does not respond', alert);
      const lookUp = async () => {
        await quota.requireRoom(workspaceId);
        return findErrors(workspaceId, resourcesOf(alert));
      };
      const ruleErrors = await withTimeout(lookUp(), { timeoutMs: ruleTimeoutMs, createError }).catch(
        (error) => {
          throw isDatabaseUnavailable(error) ? createError() : error;
        },
      );
      const errors = [...errorsOfWorkspace(workspaceId, alert.workspace_id), ...ruleErrors];
      if (errors.length > 0) throw invalidBody(errors);
      await publish(alert, { publisher, requestId });
      return alert.alert_id;
    },

    async errorsOf(workspaceId, { workspace_id, alert_rule_id, alert_rule }) {
      const errors = isUuid(workspace_id) ? errorsOfWorkspace(workspaceId, workspace_id.toLowerCase()) : [];
      if (!isUuid(alert_rule_id)) return errors;
      const named = { alertRuleId: alert_rule_id.toLowerCase(), webhookIds: webhookIdsOf(alert_rule) };
      return [...errors, ...(await findErrors(workspaceId, named))];
    },
  };
}

function complete(workspaceId: string, body: PublishAlertBody, now: Date) {
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

/** The rule of an alert, and the webhooks of a rule in the message; undefined without one. */
interface NamedResources {
  alertRuleId: string;
  webhookIds: string[] | undefined;
}

function resourcesOf({ alert_rule_id, alert_rule }: AlertFired): NamedResources {
  return { alertRuleId: alert_rule_id, webhookIds: alert_rule?.notification_webhook_ids };
}

/** Webhook ids of a rule in a message that is not valid: those that are UUIDs. */
function webhookIdsOf(rule: unknown): string[] | undefined {
  if (typeof rule !== 'object' || rule === null) return undefined;
  const { notification_webhook_ids: given } = rule as { notification_webhook_ids?: unknown };
  return Array.isArray(given) ? given.filter(isUuid).slice(0, maxWebhooks) : [];
}

const maxWebhooks = 20;

function errorsOfWorkspace(workspaceId: string, given: string): FieldError[] {
  if (given === workspaceId) return [];
  return [{ path: '/workspace_id', message: 'must be the workspace of the path' }];
}

function errorsOfRule(workspaceId: string, named: NamedResources, rule: RuleOfAlert): FieldError[] {
  if (rule.workspaceId === null && named.webhookIds !== undefined) return errorsOfWebhooks(rule);
  if (rule.workspaceId === workspaceId) return [];
  const message =
    'is not an alert rule of this workspace; a monitor that keeps its own rules sends alert_rule with it';
  return [{ path: '/alert_rule_id', message }];
}

function errorsOfWebhooks({ unknownWebhookIds: unknown }: RuleOfAlert): FieldError[] {
  if (unknown.length === 0) return [];
  const message = `must name webhooks of this workspace; unknown in it: ${unknown.join(', ')}`;
  return [{ path: '/alert_rule/notification_webhook_ids', message }];
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
