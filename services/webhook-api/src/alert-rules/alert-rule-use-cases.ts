import { randomUUID } from 'node:crypto';
import type { CreateAlertRule, PatchAlertRule } from '@tocsin/contracts';
import { recordId } from '@tocsin/database';
import { AppError, type FieldError, invalidBody } from '@tocsin/kit';
import { notFound } from '../api-route.js';
import { type ChangeAuthor, changedFields, toDate } from '../change.js';
import { errorsOfWebhookIds, toWebhookIds, unknownWebhooksError } from '../webhooks/webhook-ids.js';
import type { AlertRulesRepository, StoredAlertRule, WriteOutcome } from './alert-rules-repository.js';

/** JSON pointer of the field with the webhook ids of a rule. */
const webhooksPath = '/notification_webhook_ids';

export interface AlertRuleUseCasesDeps {
  repository: AlertRulesRepository;
  maxPerWorkspace: number;
  now: () => Date;
}

export interface AlertRuleUseCases {
  create(workspaceId: string, fields: CreateAlertRule, author: ChangeAuthor): Promise<StoredAlertRule>;
  /**
   * `before` is the rule as it was loaded for the request. A request that changes no value keeps the rule's version.
   */
  update(before: StoredAlertRule, fields: PatchAlertRule, author: ChangeAuthor): Promise<StoredAlertRule>;
  delete(rule: StoredAlertRule, author: ChangeAuthor): Promise<void>;
  /** Lists the errors of the webhook ids in a body that the schema has rejected. */
  errorsOf(workspaceId: string, body: Readonly<Record<string, unknown>>): Promise<FieldError[]>;
}

export function createAlertRuleUseCases(deps: AlertRuleUseCasesDeps): AlertRuleUseCases {
  const { repository, maxPerWorkspace, now } = deps;
  const requireWritten = (outcome: WriteOutcome) => toWritten(outcome, maxPerWorkspace);
  return {
    async create(workspaceId, fields, author) {
      const { name, model_id, threshold, bound, enabled = true, notification_webhook_ids = [] } = fields;
      const at = now();
      const rule: StoredAlertRule = {
        // Ids start with the time of creation, so sorting by id lists rules in the order of creation.
        id: recordId(at.getTime(), randomUUID()),
        workspaceId,
        externalId: fields.external_id ?? null,
        name,
        modelId: model_id.toLowerCase(),
        threshold,
        bound,
        enabled,
        cooldownSeconds: fields.cooldown_seconds ?? 0,
        silencedUntil: toDate(fields.silenced_until ?? null),
        webhookIds: toWebhookIds(notification_webhook_ids, webhooksPath),
        version: 1,
        createdAt: at,
        updatedAt: at,
        lastUpdatedBy: author.principal,
      };
      return requireWritten(await repository.create(rule, { maxPerWorkspace, author }));
    },

    async update(before, fields, author) {
      const { notification_webhook_ids: given } = fields;
      const webhookIds = given && toWebhookIds(given, webhooksPath);
      const outcome = await repository.update(before, author, (current) => {
        const rule: StoredAlertRule = {
          ...current,
          externalId: fields.external_id === undefined ? current.externalId : fields.external_id,
          name: fields.name ?? current.name,
          modelId: fields.model_id?.toLowerCase() ?? current.modelId,
          threshold: fields.threshold ?? current.threshold,
          bound: fields.bound ?? current.bound,
          enabled: fields.enabled ?? current.enabled,
          cooldownSeconds: fields.cooldown_seconds ?? current.cooldownSeconds,
          silencedUntil:
            fields.silenced_until === undefined ? current.silencedUntil : toDate(fields.silenced_until),
          webhookIds: webhookIds ?? current.webhookIds,
          version: current.version + 1,
          updatedAt: now(),
          lastUpdatedBy: author.principal,
        };
        const changed = changedFields(writableFields(current), writableFields(rule));
        return changed.length === 0 ? undefined : { rule, changedFields: changed };
      });
      return requireWritten(outcome);
    },

    async delete(rule, author) {
      if (!(await repository.delete(rule, { author, at: now() }))) throw notFound('alert rule');
    },

    errorsOf(workspaceId, { notification_webhook_ids: given }) {
      const findUnknown = (ids: string[]) => repository.findUnknownWebhooks(workspaceId, ids);
      return errorsOfWebhookIds(given, webhooksPath, findUnknown);
    },
  };
}

/** Returns the writable fields as the API shows them. */
export function writableFields(rule: StoredAlertRule) {
  const { name, threshold, bound, enabled } = rule;
  return {
    name,
    external_id: rule.externalId,
    model_id: rule.modelId,
    threshold,
    bound,
    enabled,
    cooldown_seconds: rule.cooldownSeconds,
    silenced_until: rule.silencedUntil?.toISOString() ?? null,
    notification_webhook_ids: rule.webhookIds,
  };
}

function toWritten(outcome: WriteOutcome, maxPerWorkspace: number): StoredAlertRule {
  if (outcome.kind === 'full')
    throw new AppError('conflict', `A workspace can have ${maxPerWorkspace} alert rules; delete one first.`);
  if (outcome.kind === 'missing') throw notFound('alert rule');
  if (outcome.kind === 'unknown_webhooks')
    throw invalidBody([unknownWebhooksError(outcome.ids, webhooksPath)]);
  return outcome.rule;
}
