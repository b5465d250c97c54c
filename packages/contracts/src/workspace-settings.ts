import type { FromSchema } from 'json-schema-to-ts';

const writable = {
  name: {
    type: ['string', 'null'],
    minLength: 1,
    maxLength: 255,
    description: 'Label of the workspace for people. Default: null.',
  },
  notice_webhook_ids: {
    type: 'array',
    items: { type: 'string', format: 'uuid' },
    maxItems: 1000,
    description:
      'Webhooks of the workspace that are called when a webhook fails for a while, recovers or is disabled, and for dead letters. Duplicates are dropped, then at most 20. Default: none.',
  },
} as const;

export const patchWorkspaceSettingsSchema = {
  title: 'PatchWorkspaceSettings',
  description: 'Any subset of the fields. notice_webhook_ids is replaced as a whole.',
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
