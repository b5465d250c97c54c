import { randomUUID } from 'node:crypto';
import {
  type AlertFired,
  alertFiredKey,
  alertPublisherHeader,
  alertsExchange,
  createAlertFiredCheck,
  type PublishAlert as PublishAlertBody,
  requestIdHeader,
} from '@tocsin/contracts';
import { isDatabaseUnavailable, type SecretBox } from '@tocsin/database';
import { encryptPublisher } from '@tocsin/deliveries';
import {
  AppError,
  type CheckedItem,
  type FieldError,
  invalidBody,
  isUuid,
  joinErrors,
  traceparentHeader,
  withTimeout,
} from '@tocsin/kit';
import { PublishError, type Publisher } from '@tocsin/messaging';
import type { OpenDeliveryQuota } from '../open-delivery-quota.js';
import { createRuleCheck, type NamedResources, resourcesIn } from './rule-check.js';
import type { RulesReader } from './rules-reader.js';

export interface PublishAlertDeps {
  reader: RulesReader;
  publisher: Pick<Publisher, 'publish'>;
  quota: OpenDeliveryQuota;
  secretBox: SecretBox;
  now: () => Date;
  /**
   * Timeout of the rule lookup, in milliseconds. Default: 2,000. It is short, so that a publisher can soon try another
   * instance.
   */
  ruleTimeoutMs?: number;
}

interface PublishRequest {
  workspaceId: string;
  /**
   * Id of the request. The message contains the id, so that it also appears in the log lines about the alert's
   * deliveries.
   */
  requestId: string;
  /** Id of the caller, stored with the alert. A caller that has only the role `publisher` may read only its alerts. */
  publisherId: string;
  /** Trace context that is sent with the message. */
  traceparent?: string | undefined;
}

export interface PublishAlert {
  /**
   * Publishes an alert of a workspace. Returns its id after the broker has routed and confirmed the message.
   * @throws AppError `validation_failed` with all errors, for example if the body names a workspace other than that
   *   in the path, or a rule or webhook of another workspace; `too_many_requests` if the workspace has too many open
   *   deliveries; `unavailable`, with the alert's id, if the broker does not confirm the message or the database does
   *   not respond. The publisher can retry with this id without creating a second alert.
   */
  publish(input: PublishRequest & { body: PublishAlertBody }): Promise<string>;
  /**
   * Publishes several alerts. Each alert succeeds or fails separately. Returns the id or the error of each alert, in
   * the order of the alerts.
   * @throws AppError before any alert is published: `too_many_requests` as in `publish`; `unavailable` if the database
   *   does not respond
   */
  publishBatch(
    input: PublishRequest & { items: CheckedItem<PublishAlertBody>[] },
  ): Promise<(string | AppError)[]>;
  /** Lists the errors of the workspace, the rule and the webhooks in a body that the schema has rejected. */
  errorsOf(workspaceId: string, body: unknown): Promise<FieldError[]>;
}

export function createPublishAlert(deps: PublishAlertDeps): PublishAlert {
  const { reader, publisher, quota, secretBox, now, ruleTimeoutMs = 2_000 } = deps;
  const check = createAlertFiredCheck();
  const rules = createRuleCheck(reader);

  const draftOf = (workspaceId: string, item: CheckedItem<PublishAlertBody>): Draft => {
    if (!item.ok) return { errors: item.errors, ...foundIn(item.value) };
    const checked = check(complete(workspaceId, item.value, now()));
    if (!checked.ok) return { errors: checked.errors };
    const { value: alert } = checked;
    const { alert_rule_id: alertRuleId, alert_rule: rule } = alert;
    const named = { alertRuleId, webhookIds: rule?.notification_webhook_ids };
    return { alert, errors: [], named, workspaceId: alert.workspace_id };
  };
  /** Returns the errors of each draft, in the order of the drafts. */
  const errorsOf = async (workspaceId: string, drafts: Draft[]): Promise<FieldError[][]> => {
    const errorsOfRules = await rules.errorsOf(
      workspaceId,
      drafts.map(({ named }) => named),
    );
    return drafts.map((draft, index) =>
      joinErrors(draft.errors, [
        ...errorsOfWorkspace(workspaceId, draft.workspaceId),
        ...errorsOfRules[index]!,
      ]),
    );
  };
  const checkDrafts = (workspaceId: string, drafts: Draft[]): Promise<FieldError[][]> => {
    const lookUp = async () => {
      await quota.requireCapacity(workspaceId);
      return errorsOf(workspaceId, drafts);
    };
    const createError = () => databaseUnavailable(drafts);
    return withTimeout(lookUp(), { timeoutMs: ruleTimeoutMs, createError }).catch((error) => {
      throw isDatabaseUnavailable(error) ? createError() : error;
    });
  };
  const send = async (
    alert: AlertFired,
    { requestId, publisherId, traceparent }: Omit<PublishRequest, 'workspaceId'>,
  ): Promise<string> => {
    try {
      await publisher.publish({
        exchange: alertsExchange,
        routingKey: alertFiredKey,
        content: Buffer.from(writeJson(alert), 'utf8'),
        type: 'alert.fired',
        headers: {
          [requestIdHeader]: requestId,
          [alertPublisherHeader]: encryptPublisher(publisherId, alert, secretBox),
          ...(traceparent !== undefined && { [traceparentHeader]: traceparent }),
        },
      });
    } catch (cause) {
      if (!(cause instanceof PublishError)) throw cause;
      throw unavailable('The broker did not confirm the alert', alert, cause);
    }
    return alert.alert_id;
  };

  const publishBatch: PublishAlert['publishBatch'] = async ({ workspaceId, items, ...request }) => {
    const drafts = items.map((item) => draftOf(workspaceId, item));
    const errors = await checkDrafts(workspaceId, drafts);
    return Promise.all(
      drafts.map(({ alert }, index) =>
        alert === undefined || errors[index]!.length > 0
          ? invalidBody(errors[index]!)
          : send(alert, request).catch(asResult),
      ),
    );
  };
  return {
    publishBatch,
    async publish({ body, ...request }) {
      const [result] = await publishBatch({ ...request, items: [{ ok: true, value: body }] });
      if (result instanceof AppError) throw result;
      return result!;
    },
    errorsOf: async (workspaceId, body) =>
      (await errorsOf(workspaceId, [{ errors: [], ...foundIn(body) }])).flat(),
  };
}

/** An alert that is ready to be published, or the errors of its body. */
interface Draft {
  alert?: AlertFired;
  errors: FieldError[];
  named?: NamedResources | undefined;
  workspaceId?: string | undefined;
}

/** Returns the ids of the rule, webhooks and workspace in a body that the schema has rejected, if they are valid. */
function foundIn(body: unknown): Pick<Draft, 'named' | 'workspaceId'> {
  const { workspace_id: given } = Object(body) as { workspace_id?: unknown };
  return { named: resourcesIn(body), workspaceId: isUuid(given) ? given.toLowerCase() : undefined };
}

function asResult(error: unknown): AppError {
  if (error instanceof AppError) return error;
  throw error;
}

function complete(workspaceId: string, body: PublishAlertBody, now: Date) {
  return {
    ...body,
    workspace_id: body.workspace_id ?? workspaceId,
    alert_id: body.alert_id ?? randomUUID(),
    fired_at: body.fired_at ?? now.toISOString(),
    type: 'alert.fired',
    version: 1,
  };
}

function errorsOfWorkspace(workspaceId: string, given: string | undefined): FieldError[] {
  if (given === undefined || given === workspaceId) return [];
  return [{ path: '/workspace_id', message: 'must be the workspace of the path' }];
}

/**
 * Serializes an object like `JSON.stringify`, but writes members that are minus zero as `-0.0`. Templates print minus
 * zero as `-0.0`, as Python does.
 */
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

/**
 * Creates the 503 error for a database that does not respond. For a single valid alert, the error contains the alert's
 * id, so that the publisher can retry with this id. For other requests, it says that no alert was published.
 */
function databaseUnavailable([{ alert } = {}, ...others]: Partial<Draft>[]): AppError {
  const why = 'The alert rule could not be looked up: the database does not respond';
  if (alert !== undefined && others.length === 0) return unavailable(why, alert);
  return new AppError('unavailable', `${why}. No alert was published.`, { retryAfterSeconds: 2 });
}

function unavailable(why: string, { alert_id }: AlertFired, cause?: unknown): AppError {
  const detail = `${why}. It is safe to repeat the alert with this alert_id.`;
  return new AppError('unavailable', detail, { cause, retryAfterSeconds: 2, extra: { alert_id } });
}
