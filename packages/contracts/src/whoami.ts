/** Who the caller is, as the token says. */
export const whoamiSchema = {
  title: 'Whoami',
  type: 'object',
  additionalProperties: false,
  properties: {
    principal: {
      type: 'object',
      additionalProperties: false,
      properties: { issuer: { type: 'string' }, subject: { type: 'string' } },
      required: ['issuer', 'subject'],
    },
    deployment_roles: { type: 'array', items: { type: 'string' } },
    workspaces: {
      type: 'object',
      description: 'Workspace id to the roles held in it.',
      additionalProperties: { type: 'array', items: { type: 'string' } },
    },
  },
  required: ['principal', 'deployment_roles', 'workspaces'],
} as const;
