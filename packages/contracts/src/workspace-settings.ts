import type { FromSchema } from 'json-schema-to-ts';
import { maxWebhookIds, uuid } from './common-schemas.js';

const writable = {
  name: {
    type: ['string', 'null'],
    minLength: 1,
    maxLength: 255,
    description: 'Display name of the workspace. Default: null.',
  },
  notice_webhook_ids: {
    type: 'array',
    items: uuid,
    maxItems: 1000,
    description: `Webhooks of the workspace that are called when a webhook fails for a while, recovers or is disabled, and for dead letters. Duplicates are removed. At most ${maxWebhookIds} different ids. Default: none.`,
  },
} as const;

export const patchWorkspaceSettingsSchema = {
  title: 'PatchWorkspaceSettings',
  description: 'Any of the fields. A given notice_webhook_ids replaces the whole list.',
  type: 'object',
  additionalProperties: false,
  properties: writable,
  examples: [{ name: 'Risk team' }],
} as const;

export const workspaceSettingsSchema = {
  title: 'WorkspaceSettings',
  type: 'object',
  additionalProperties: false,
  properties: writable,
  required: ['name', 'notice_webhook_ids'],
} as const;

export type WorkspaceSettings = FromSchema<typeof workspaceSettingsSchema>;
