import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { CreateWebhook, PatchWebhook } from '@tocsin/contracts';
import { recordId, type SecretBox } from '@tocsin/database';
import { AppError, type FieldError } from '@tocsin/kit';
import { notFound } from '../api-route.js';
import { type ChangeAuthor, changedFields } from '../change.js';
import { requireValid, type WebhookChecks } from './check-webhook.js';
import type { SigningSecretsRepository } from './signing-secrets-repository.js';
import {
  decryptSecrets,
  encryptSecrets,
  type StoredWebhook,
  type Undecryptable,
  undecryptable,
  type WebhookOptions,
  type WebhookSecrets,
  type WrittenWebhook,
} from './stored-webhook.js';
import type { RuleName } from './webhook-deletion-repository.js';
import {
  changeOptions,
  errorsOfGivenOptions,
  noOptions,
  noOptionsAndHeaders,
  optionErrors,
  presentOptions,
} from './webhook-options.js';
import type { WebhooksRepository } from './webhooks-repository.js';

export interface WebhookUseCasesDeps {
  repository: WebhooksRepository;
  signingSecrets: Pick<SigningSecretsRepository, 'count'>;
  secretBox: SecretBox;
  checks: Pick<WebhookChecks, 'checkSave' | 'errorsOfSave' | 'noticeWarnings'>;
  maxPerWorkspace: number;
  now: () => Date;
}

interface SavedWebhook {
  webhook: StoredWebhook;
  /** Warnings about the fields of the request, such as a host name that does not resolve. */
  warnings: string[];
}

export interface WebhookUseCases {
  create(workspaceId: string, fields: CreateWebhook, author: ChangeAuthor): Promise<SavedWebhook>;
  /**
   * `before` is the webhook as it was loaded for the request. A request that changes no value keeps the webhook's
   * version.
   */
  update(before: StoredWebhook, fields: PatchWebhook, author: ChangeAuthor): Promise<SavedWebhook>;
  /**
   * Lists further errors of a body that the schema has rejected. Only members with the right type are checked. `before`
   * is the webhook that the request would change.
   */
  errorsOf(
    workspaceId: string,
    body: Readonly<Record<string, unknown>>,
    before?: StoredWebhook,
  ): FieldError[];
  /** Deletes a webhook and returns the rules from which it was removed. */
  delete(webhook: StoredWebhook, options: { detach: boolean }, author: ChangeAuthor): Promise<RuleName[]>;
}

export function createWebhookUseCases(deps: WebhookUseCasesDeps): WebhookUseCases {
  const { repository, signingSecrets, secretBox, checks, maxPerWorkspace, now } = deps;
  return {
    async create(workspaceId, fields, author) {
      const { name, url, headers = {}, body, enabled = true, retry_on_timeout = true } = fields;
      const at = now();
      const options = changeOptions(noOptions, fields);
      const errors = optionErrors(options, { headerNames: Object.keys(headers), now: at });
      const warnings = await checks.checkSave(workspaceId, { url, headers, body }, errors);
      if (options.signing) warnings.push(noSecretWarning);
      // Ids start with the time of creation, so new webhooks are inserted next to each other in the index, not at
      // random places.
      const id = recordId(at.getTime(), randomUUID());
      const webhook: WrittenWebhook = {
        id,
        workspaceId,
        externalId: fields.external_id ?? null,
        name,
        ...encryptSecrets(secretBox, { id, workspaceId }, { url, headers, body }),
        enabled,
        enabledChangedAt: null,
        retryOnTimeout: retry_on_timeout,
        ...options,
        disabledReason: null,
        version: 1,
        createdAt: at,
        updatedAt: at,
        lastUpdatedBy: author.principal,
      };
      const created = await repository.create(webhook, { maxPerWorkspace, author });
      if (created !== undefined) return { webhook: created, warnings };
      const detail = `A workspace can have ${maxPerWorkspace} webhooks; delete one first.`;
      throw new AppError('conflict', detail);
    },

    async update(before, fields, author) {
      // Checks of the fields can take long, so they run before the row is locked.
      const errorsOf = (current: WrittenWebhook) =>
        optionErrors(changeOptions(current, fields), {
          headerNames: fields.headers === undefined ? current.headerNames : Object.keys(fields.headers),
          now: now(),
        });
      const warnings = await checks.checkSave(before.workspaceId, fields, errorsOf(before));
      // The notice is rendered before the change is committed, because rendering can exceed the rate limit.
      if (fields.body !== undefined && (await repository.isForNotices(before)))
        warnings.push(...checks.noticeWarnings(before.workspaceId, fields.body));
      const webhook = await repository.update(before.id, author, (current) => {
        // The options are checked again, because another request can have changed the webhook before it was locked.
        requireValid(errorsOf(current));
        const at = now();
        const secrets = decryptSecrets(secretBox, current);
        const merged = mergeSecrets(secrets, fields);
        const options = changeOptions(current, fields);
        const enabled = fields.enabled ?? current.enabled;
        const affectsRequests =
          enabled !== current.enabled ||
          !isDeepStrictEqual(merged, secrets) ||
          !isDeepStrictEqual(sentOptions(options), sentOptions(current));
        const webhook: WrittenWebhook = {
          ...current,
          externalId: fields.external_id === undefined ? current.externalId : fields.external_id,
          name: fields.name ?? current.name,
          ...encryptSecrets(secretBox, current, merged),
          enabled,
          enabledChangedAt: enabled === current.enabled ? current.enabledChangedAt : at,
          retryOnTimeout: fields.retry_on_timeout ?? current.retryOnTimeout,
          ...options,
          disabledReason: fields.enabled === true ? null : current.disabledReason,
          version: current.version + 1,
          updatedAt: at,
          lastUpdatedBy: author.principal,
        };
        const changed = changedFields(comparable(current, secrets), comparable(webhook, merged));
        if (changed.length === 0) return undefined;
        const changesPause = fields.paused_until !== undefined || enabled !== current.enabled;
        return { webhook, changedFields: changed, affectsRequests, changesPause };
      });
      if (webhook === undefined) throw notFound('webhook');
      if (fields.signing === true && (await signingSecrets.count(webhook.id)) === 0)
        warnings.push(noSecretWarning);
      return { webhook, warnings };
    },

    errorsOf(workspaceId, given, before) {
      return [
        ...checks.errorsOfSave(workspaceId, given),
        ...errorsOfGivenOptions(before ?? noOptionsAndHeaders, given, now()),
      ];
    },

    async delete(webhook, { detach }, author) {
      const outcome = await repository.delete(webhook, { detach, author, at: now() });
      if (outcome.kind === 'missing') throw notFound('webhook');
      if (outcome.kind === 'in_use') throw inUse(outcome);
      return outcome.rules;
    },
  };
}

const noSecretWarning =
  'signing: the webhook has no signing secret; its deliveries wait until one is created.';

/**
 * Returns the values of the fields that audit events name, by field name. Secrets that cannot be decrypted are omitted.
 * Headers are returned as JSON text, because a change of their order changes the requests and therefore counts too.
 */
function comparable(webhook: WrittenWebhook, secrets: WebhookSecrets | Undecryptable) {
  const { name, externalId, enabled, retryOnTimeout } = webhook;
  const readable = 'keyId' in secrets ? {} : { ...secrets, headers: JSON.stringify(secrets.headers) };
  return {
    name,
    external_id: externalId,
    ...readable,
    enabled,
    retry_on_timeout: retryOnTimeout,
    ...presentOptions(webhook),
  };
}

/** Returns the options that affect the sent request. */
function sentOptions({ timeoutMs, signing, idempotencyHeader }: WebhookOptions) {
  return { timeoutMs, signing, idempotencyHeader };
}

/**
 * Returns the secrets after a request. Secrets in the request replace the stored ones; other secrets keep their values.
 * @throws AppError `undecryptable` if the request omits a secret and the stored secrets cannot be decrypted
 */
function mergeSecrets(
  before: WebhookSecrets | Undecryptable,
  { url, headers, body }: PatchWebhook,
): WebhookSecrets {
  if (url !== undefined && headers !== undefined && body !== undefined) return { url, headers, body };
  if ('keyId' in before) throw undecryptable(before);
  return { url: url ?? before.url, headers: headers ?? before.headers, body: body ?? before.body };
}

/** Maximum number of rules that an error names, because thousands of rules can use a webhook. */
const maxNamed = 20;

/** Remedy in the words of the API and of the command `tocsin`, which prints the errors of the API. */
const forceIt = 'delete it by force: ?force=true of the API, --force of the command';

function inUse({ rules, forNotices }: { rules: RuleName[]; forNotices: boolean }): AppError {
  if (rules.length === 0)
    return new AppError(
      'conflict',
      `The workspace calls the webhook for notices; take it off notice_webhook_ids, or ${forceIt}.`,
      { extra: { alert_rules: [] } },
    );
  const named = rules.slice(0, maxNamed);
  const more = rules.length > maxNamed ? ` and ${rules.length - maxNamed} more` : '';
  const names = named.map(({ name, id }) => `${JSON.stringify(name)} (${id})`).join(', ');
  const noun = rules.length === 1 ? 'alert rule' : 'alert rules';
  const notices = forNotices ? ' and to the notices of the workspace' : '';
  const detail = `The webhook is attached to the ${noun} ${names}${more}${notices}; detach it there, or ${forceIt}.`;
  return new AppError('conflict', detail, { extra: { alert_rules: named } });
}
