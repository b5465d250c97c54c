import type { FromSchema } from 'json-schema-to-ts';
import { uuid } from './common-schemas.js';

export const workspaceSchema = {
  title: 'Workspace',
  description: 'A workspace that the caller can see. Another system owns the workspaces.',
  type: 'object',
  additionalProperties: false,
  properties: {
    id: uuid,
    name: { type: ['string', 'null'], description: 'Display name. Null if the workspace has none.' },
  },
  required: ['id', 'name'],
} as const;

export type Workspace = FromSchema<typeof workspaceSchema>;
