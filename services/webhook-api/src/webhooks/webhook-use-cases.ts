import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { CreateWebhook, PatchWebhook } from '@tocsin/contracts';
import { recordId, type SecretBox } from '@tocsin/database';
import { AppError } from '@tocsin/kit';
import { notFound } from '../api-route.js';
import type { WebhookChecks } from './check-webhook.js';
import {
  decryptSecrets,
  encryptSecrets,
  type StoredWebhook,
  type Undecryptable,
  undecryptable,
  type WebhookSecrets,
} from './stored-webhook.js';
import type { RuleName, WebhooksRepository } from './webhooks-repository.js';

export interface WebhookUseCasesDeps {
  repository: WebhooksRepository;
  secretBox: SecretBox;
  checks: Pick<WebhookChecks, 'checkSave'>;
  maxPerWorkspace: number;
  now: () => Date;
}

interface SavedWebhook {
  webhook: StoredWebhook;
  /** Warnings about the fields of the request. */
  warnings: string[];
}

/** The author of a change. */
interface Author {
  principal: string;
}

export interface WebhookUseCases {
  create(workspaceId: string, fields: CreateWebhook, by: Author): Promise<SavedWebhook>;
  /** `before` is the webhook as the request found it. */
  update(before: StoredWebhook, fields: PatchWebhook, by: Author): Promise<SavedWebhook>;
  /** Returns the rules that the webhook was removed from. */
  delete(webhook: StoredWebhook, options: { detach: boolean }, by: Author): Promise<RuleName[]>;
}

export function createWebhookUseCases(deps: WebhookUseCasesDeps): WebhookUseCases {
  const { repository, secretBox, checks, maxPerWorkspace, now } = deps;
  return {
    async create(workspaceId, fields, by) {
      const { name, url, headers = {}, body, enabled = true, retry_on_timeout = true } = fields;
      const warnings = await checks.checkSave(workspaceId, { url, headers, body });
      const at = now();
      // Ids start with the time, so the newest entries are adjacent in the index.
      const id = recordId(at.getTime(), randomUUID());
      const webhook: StoredWebhook = {
        id,
        workspaceId,
        name,
        ...encryptSecrets(secretBox, { id, workspaceId }, { url, headers, body }),
        enabled,
        disabledAt: enabled ? null : at,
        retryOnTimeout: retry_on_timeout,
        version: 1,
        paused: null,
        createdAt: at,
        updatedAt: at,
        lastUpdatedBy: by.principal,
      };
      if (await repository.create(webhook, maxPerWorkspace)) return { webhook, warnings };
      const detail = `A workspace can have ${maxPerWorkspace} webhooks; delete one first.`;
      throw new AppError('conflict', detail);
    },

    async update(before, fields, by) {
      if (Object.keys(fields).length === 0) return { webhook: before, warnings: [] };
      // The checks can take long, so they run before the row is locked.
      const warnings = await checks.checkSave(before.workspaceId, fields);
      const webhook = await repository.update(before.id, (current) => {
        const secrets = decryptSecrets(secretBox, current);
        const changed = mergeSecrets(secrets, fields);
        const enabled = fields.enabled ?? current.enabled;
        const affectsRequests = enabled !== current.enabled || !isDeepStrictEqual(changed, secrets);
        return {
          webhook: {
            ...current,
            name: fields.name ?? current.name,
            ...encryptSecrets(secretBox, current, changed),
            enabled,
            disabledAt: enabled ? null : (current.disabledAt ?? now()),
            retryOnTimeout: fields.retry_on_timeout ?? current.retryOnTimeout,
            version: current.version + 1,
            paused: affectsRequests ? null : current.paused,
            updatedAt: now(),
            lastUpdatedBy: by.principal,
          },
          affectsRequests,
        };
      });
      if (webhook === undefined) throw notFound('webhook');
      return { webhook, warnings };
    },

    async delete(webhook, { detach }, by) {
      const change = detach ? { by: by.principal, at: now() } : undefined;
      const outcome = await repository.delete(webhook, { detach: change });
      if (outcome.kind === 'missing') throw notFound('webhook');
      if (outcome.kind === 'in_use') throw inUse(outcome.rules);
      return outcome.rules;
    },
  };
}

/** @throws AppError `undecryptable` if a secret is not in the request and the stored ones cannot be decrypted */
function mergeSecrets(
  before: WebhookSecrets | Undecryptable,
  { url, headers, body }: PatchWebhook,
): WebhookSecrets {
  if (url !== undefined && headers !== undefined && body !== undefined) return { url, headers, body };
  if ('keyId' in before) throw undecryptable(before);
  return { url: url ?? before.url, headers: headers ?? before.headers, body: body ?? before.body };
}

/** Number of rules that an error names; a webhook can have more. */
const maxNamed = 20;

function inUse(rules: RuleName[]): AppError {
  const named = rules.slice(0, maxNamed);
  const more = rules.length > maxNamed ? ` and ${rules.length - maxNamed} more` : '';
  const names = named.map(({ name, id }) => `${JSON.stringify(name)} (${id})`).join(', ');
  const noun = rules.length === 1 ? 'alert rule' : 'alert rules';
  const detail = `The webhook is attached to the ${noun} ${names}${more}; detach it there, or delete it with ?force=true.`;
  return new AppError('conflict', detail, { extra: { alert_rules: named } });
}
