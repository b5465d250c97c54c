import { randomUUID } from 'node:crypto';
import type { CreateAlertRule, PatchAlertRule } from '@tocsin/contracts';
import { recordId } from '@tocsin/database';
import { type AppError, invalidBody } from '@tocsin/kit';
import { notFound } from '../api-route.js';
import type { AlertRulesRepository, StoredAlertRule, WriteOutcome } from './alert-rules-repository.js';

export interface AlertRuleUseCases {
  create(workspaceId: string, fields: CreateAlertRule): Promise<StoredAlertRule>;
  /** `before` is the rule as the request found it. */
  update(before: StoredAlertRule, fields: PatchAlertRule): Promise<StoredAlertRule>;
  delete(id: string): Promise<void>;
}

export function createAlertRuleUseCases(
  repository: AlertRulesRepository,
  now: () => Date,
): AlertRuleUseCases {
  return {
    async create(workspaceId, fields) {
      const { name, model_id, threshold, bound, enabled = true, notification_webhook_ids = [] } = fields;
      const at = now();
      const rule: StoredAlertRule = {
        // Ids start with the time, so the list is in the order of creation.
        id: recordId(at.getTime(), randomUUID()),
        workspaceId,
        name,
        modelId: model_id.toLowerCase(),
        threshold,
        bound,
        enabled,
        webhookIds: toWebhookIds(notification_webhook_ids),
        createdAt: at,
        updatedAt: at,
      };
      return requireWritten(await repository.create(rule));
    },

    async update(before, fields) {
      if (Object.keys(fields).length === 0) return before;
      const { notification_webhook_ids: given } = fields;
      const webhookIds = given && toWebhookIds(given);
      const outcome = await repository.update(before.id, (current) => ({
        ...current,
        name: fields.name ?? current.name,
        modelId: fields.model_id?.toLowerCase() ?? current.modelId,
        threshold: fields.threshold ?? current.threshold,
        bound: fields.bound ?? current.bound,
        enabled: fields.enabled ?? current.enabled,
        webhookIds: webhookIds ?? current.webhookIds,
        updatedAt: now(),
      }));
      return requireWritten(outcome);
    },

    async delete(id) {
      if (!(await repository.delete(id, now()))) throw notFound('alert rule');
    },
  };
}

const maxWebhooks = 20;

function toWebhookIds(given: readonly string[]): string[] {
  const ids = [...new Set(given.map((id) => id.toLowerCase()))];
  if (ids.length > maxWebhooks)
    throw invalidWebhooks(`must name at most ${maxWebhooks} webhooks, and names ${ids.length}`);
  return ids;
}

function requireWritten(outcome: WriteOutcome): StoredAlertRule {
  if (outcome.kind === 'missing') throw notFound('alert rule');
  if (outcome.kind === 'unknown_webhooks')
    throw invalidWebhooks(`must name webhooks of this workspace; unknown in it: ${outcome.ids.join(', ')}`);
  return outcome.rule;
}

function invalidWebhooks(message: string): AppError {
  return invalidBody([{ path: '/notification_webhook_ids', message }]);
}
