import {
  createAlertRuleSchema,
  createWebhookSchema,
  maxWebhookIds,
  patchWorkspaceSettingsSchema,
  uuid,
} from '@tocsin/contracts';
import type { CreateAlertRule, CreateWebhook } from '../../api/schemas.js';

/** A webhook in a workspace file. A missing field has its default value. */
export interface WebhookEntry extends Omit<CreateWebhook, 'headers' | 'paused_until' | 'external_id'>, Ids {
  /** Header values. Like `url`, they can contain variables such as `${NAME}`. */
  headers?: Record<string, string | string[]>;
}

/** An alert rule in a workspace file. A missing field has its default value. */
export interface AlertRuleEntry
  extends Omit<CreateAlertRule, 'notification_webhook_ids' | 'silenced_until' | 'external_id'>,
    Ids {
  /** Each item is the external id, the id or the name of a webhook. */
  notification_webhooks?: string[];
}

interface Ids {
  id?: string;
  external_id?: string;
}

export interface SettingsEntry {
  name?: string | null;
  notice_webhooks?: string[];
}

/** The content of a workspace file. */
export interface WorkspaceFile {
  namespace: string;
  settings?: SettingsEntry;
  webhooks?: WebhookEntry[];
  alert_rules?: AlertRuleEntry[];
}

const { paused_until: _pause, ...webhookFields } = createWebhookSchema.properties;
const {
  silenced_until: _silence,
  notification_webhook_ids: _webhookIds,
  ...ruleFields
} = createAlertRuleSchema.properties;

const ids = {
  id: uuid,
  external_id: { ...createWebhookSchema.properties.external_id, type: 'string' },
} as const;

const webhookNames = {
  type: 'array',
  maxItems: maxWebhookIds,
  items: { type: 'string', minLength: 1 },
} as const;

const { headers, url } = createWebhookSchema.properties;
const headerValue = headers.additionalProperties.items;

/** A namespace, as a regular expression without anchors. */
export const namespacePattern = '[A-Za-z0-9][A-Za-z0-9._-]{0,62}';
export const namespaceDescription =
  'a namespace: 63 letters, digits, ., _ and - at most, beginning with a letter or digit';

/**
 * JSON Schema of a workspace file. It has the writable fields of the API, except the pause of a webhook and the silence
 * of a rule, which are not configuration.
 */
export const workspaceFileSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    namespace: {
      type: 'string',
      pattern: `^${namespacePattern}$`,
      description: namespaceDescription,
    },
    settings: {
      type: 'object',
      additionalProperties: false,
      properties: { name: patchWorkspaceSettingsSchema.properties.name, notice_webhooks: webhookNames },
    },
    webhooks: {
      type: 'array',
      maxItems: 1_000,
      items: {
        type: 'object',
        additionalProperties: false,
        properties: {
          ...ids,
          ...webhookFields,
          external_id: ids.external_id,
          // The url is not validated here, because it can contain variables. The API validates it after they are
          // replaced.
          url: { type: 'string', minLength: 1, description: url.description },
          headers: {
            ...headers,
            additionalProperties: { ...headerValue, type: ['string', 'array'], items: headerValue },
          },
        },
        required: ['name', 'url', 'body'],
      },
    },
    alert_rules: {
      type: 'array',
      maxItems: 10_000,
      items: {
        type: 'object',
        additionalProperties: false,
        properties: {
          ...ids,
          ...ruleFields,
          external_id: ids.external_id,
          notification_webhooks: webhookNames,
        },
        required: ['name', 'model_id', 'threshold', 'bound'],
      },
    },
  },
  required: ['namespace'],
} as const;
