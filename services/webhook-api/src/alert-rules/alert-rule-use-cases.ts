import { randomUUID } from 'node:crypto';
import type { CreateAlertRule, PatchAlertRule } from '@tocsin/contracts';
import { recordId } from '@tocsin/database';
import { AppError } from '@tocsin/kit';
import type { AlertRulesRepository, StoredAlertRule, WriteOutcome } from './alert-rules-repository.js';

export interface AlertRuleUseCasesDeps {
  repository: AlertRulesRepository;
  now: () => Date;
}

export interface AlertRuleUseCases {
  create(workspaceId: string, fields: CreateAlertRule): Promise<StoredAlertRule>;
  /** `before` is the rule as the request found it. */
  update(before: StoredAlertRule, fields: PatchAlertRule): Promise<StoredAlertRule>;
  delete(id: string): Promise<void>;
}

export function createAlertRuleUseCases({ repository, now }: AlertRuleUseCasesDeps): AlertRuleUseCases {
  return {
    async create(
      workspaceId,
      { name, model_id, threshold, bound, enabled = true, notification_webhook_ids },
    ) {
      const at = now();
      const rule: StoredAlertRule = {
        // Ids begin with the time, so that the list's order is that of creation.
        id: recordId(at.getTime(), randomUUID()),
        workspaceId,
        name,
        modelId: model_id.toLowerCase(),
        threshold,
        bound,
        enabled,
        webhookIds: toWebhookIds(notification_webhook_ids ?? []),
        createdAt: at,
        updatedAt: at,
      };
      return written(await repository.create(rule));
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
      return written(outcome);
    },

    async delete(id) {
      if (!(await repository.delete(id, now()))) throw alertRuleNotFound();
    },
  };
}

export function alertRuleNotFound(): AppError {
  return new AppError('not_found', 'There is no alert rule with this id.');
}

const maxWebhooks = 20;

/** Duplicates are dropped before they are counted. */
function toWebhookIds(given: readonly string[]): string[] {
  const ids = [...new Set(given.map((id) => id.toLowerCase()))];
  if (ids.length > maxWebhooks)
    throw invalidWebhooks(`must name at most ${maxWebhooks} webhooks, and names ${ids.length}`);
  return ids;
}

function written(outcome: WriteOutcome): StoredAlertRule {
  if (outcome.kind === 'missing') throw alertRuleNotFound();
  if (outcome.kind === 'unknown_webhooks')
    throw invalidWebhooks(`must name webhooks of this workspace; unknown in it: ${outcome.ids.join(', ')}`);
  return outcome.rule;
}

function invalidWebhooks(message: string): AppError {
  return new AppError('validation_failed', 'The request body is not valid.', {
    errors: [{ path: '/notification_webhook_ids', message }],
  });
}
