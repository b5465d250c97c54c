import type { FromSchema } from 'json-schema-to-ts';
import type { Principal } from './principal.js';

export const whoamiSchema = {
  title: 'Whoami',
  description: 'The caller, and its roles by workspace.',
  type: 'object',
  required: ['issuer', 'subject', 'display', 'workspaces', 'deployment_roles'],
  properties: {
    issuer: { type: 'string' },
    subject: { type: 'string' },
    display: { type: 'string' },
    workspaces: {
      type: 'object',
      description: 'Workspace id → roles.',
      additionalProperties: {
        type: 'array',
        items: { type: 'string' },
      },
    },
    deployment_roles: {
      type: 'array',
      items: { type: 'string' },
    },
  },
} as const;

export function presentWhoami(principal: Principal): FromSchema<typeof whoamiSchema> {
  const { issuer, subject, display, workspaceRoles, deploymentRoles } = principal;
  return {
    issuer,
    subject,
    display,
    workspaces: Object.fromEntries([...workspaceRoles].map(([id, roles]) => [id, [...roles]])),
    deployment_roles: [...deploymentRoles],
  };
}
