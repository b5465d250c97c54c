import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { CreateWebhook, PatchWebhook } from '@tocsin/contracts';
import { recordId, type SecretBox } from '@tocsin/database';
import { AppError } from '@tocsin/kit';
import { checkWebhook, type WebhookChecks } from './check-webhook.js';
import { decryptSecrets, encryptSecrets, type StoredWebhook, type WebhookSecrets } from './stored-webhook.js';
import type { TemplateBudget } from './template-budget.js';
import type { RuleName, WebhooksRepository } from './webhooks-repository.js';

export interface WebhookUseCasesDeps {
  repository: WebhooksRepository;
  secretBox: SecretBox;
  checks: WebhookChecks;
  templateBudget: TemplateBudget;
  maxPerWorkspace: number;
  now: () => Date;
}

interface SavedWebhook {
  webhook: StoredWebhook;
  /** About the fields that were written. */
  warnings: string[];
}

/** Who writes. */
interface By {
  principal: string;
}

export interface WebhookUseCases {
  create(workspaceId: string, fields: CreateWebhook, by: By): Promise<SavedWebhook>;
  /** `before` is the webhook as the request found it. */
  update(before: StoredWebhook, fields: PatchWebhook, by: By): Promise<SavedWebhook>;
  delete(id: string, options: { detach: boolean }): Promise<void>;
}

export function createWebhookUseCases(deps: WebhookUseCasesDeps): WebhookUseCases {
  const { repository, secretBox, maxPerWorkspace, now } = deps;
  const checksOf = (workspaceId: string) => withinBudget(workspaceId, deps);
  return {
    async create(
      workspaceId,
      { name, url, headers = {}, body, enabled = true, retry_on_timeout = true },
      by,
    ) {
      const warnings = await checkWebhook({ url, headers, body }, checksOf(workspaceId));
      const at = now();
      // Ids begin with the time, so that the newest stand together in the index.
      const id = recordId(at.getTime(), randomUUID());
      const webhook: StoredWebhook = {
        id,
        workspaceId,
        name,
        ...encryptSecrets(secretBox, id, { url, headers, body }),
        enabled,
        retryOnTimeout: retry_on_timeout,
        version: 1,
        createdAt: at,
        updatedAt: at,
        lastUpdatedBy: by.principal,
      };
      if (await repository.create(webhook, maxPerWorkspace)) return { webhook, warnings };
      throw new AppError(
        'conflict',
        `A workspace holds at most ${maxPerWorkspace} webhooks; delete one first.`,
      );
    },

    async update(before, fields, by) {
      if (Object.keys(fields).length === 0) return { webhook: before, warnings: [] };
      // Before the row is locked: checking a template and a name may take a while.
      const warnings = await checkWebhook(fields, checksOf(before.workspaceId));
      const webhook = await repository.update(before.id, (current) => {
        const secrets = decryptSecrets(secretBox, current);
        const changed = withGiven(secrets, fields);
        if (changed === undefined) throw webhookUnopened();
        const enabled = fields.enabled ?? current.enabled;
        return {
          webhook: {
            ...current,
            name: fields.name ?? current.name,
            ...encryptSecrets(secretBox, current.id, changed),
            enabled,
            retryOnTimeout: fields.retry_on_timeout ?? current.retryOnTimeout,
            version: current.version + 1,
            updatedAt: now(),
            lastUpdatedBy: by.principal,
          },
          sendsDifferently: enabled !== current.enabled || !isDeepStrictEqual(changed, secrets),
        };
      });
      if (webhook === undefined) throw webhookNotFound();
      return { webhook, warnings };
    },

    async delete(id, options) {
      const outcome = await repository.delete(id, options);
      if (outcome.kind === 'missing') throw webhookNotFound();
      if (outcome.kind === 'in_use') throw inUse(outcome.rules);
    },
  };
}

export function webhookNotFound(): AppError {
  return new AppError('not_found', 'There is no webhook with this id.');
}

export function webhookUnopened(): AppError {
  const detail =
    'The webhook is encrypted with a key that this service does not have; give url, headers and body to save it again.';
  return new AppError('conflict', detail);
}

function withinBudget(workspaceId: string, { checks, templateBudget }: WebhookUseCasesDeps): WebhookChecks {
  const checkTemplate = (body: string) => templateBudget.spend(workspaceId, () => checks.checkTemplate(body));
  return { ...checks, checkTemplate };
}

/** Undefined where something is wanted of those before, and they could not be opened. */
function withGiven(
  before: WebhookSecrets | undefined,
  { url = before?.url, headers = before?.headers, body = before?.body }: PatchWebhook,
): WebhookSecrets | undefined {
  if (url === undefined || headers === undefined || body === undefined) return undefined;
  return { url, headers, body };
}

// Rules are not bounded in number; an answer is.
const maxNamed = 20;

function inUse(rules: RuleName[]): AppError {
  const named = rules.slice(0, maxNamed);
  const more = rules.length > maxNamed ? ` and ${rules.length - maxNamed} more` : '';
  const names = named.map(({ name, id }) => `${JSON.stringify(name)} (${id})`).join(', ');
  const detail = `The webhook is attached to ${rules.length === 1 ? 'the alert rule' : 'the alert rules'} ${names}${more}; detach it there, or delete it with ?force=true.`;
  return new AppError('conflict', detail, { extra: { alert_rules: named } });
}
