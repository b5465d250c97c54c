import type { FromSchema } from 'json-schema-to-ts';

/** Path of the settings that the console reads before its user has signed in. */
export const consoleConfigPath = '/console/config.json';

export const consoleConfigSchema = {
  title: 'ConsoleConfig',
  description:
    'Sign-in of the console: the OpenID provider, and the client id for authorization code with PKCE.',
  type: 'object',
  additionalProperties: false,
  properties: { issuer: { type: 'string', format: 'uri' }, client_id: { type: 'string' } },
  required: ['issuer', 'client_id'],
} as const;

export type ConsoleConfig = FromSchema<typeof consoleConfigSchema>;
