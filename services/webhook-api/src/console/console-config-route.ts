import { type ConsoleConfig, consoleConfigPath, consoleConfigSchema } from '@tocsin/contracts';
import { definePublicRoute, type Route } from '@tocsin/kit';

/** Returns the route of the settings that the console reads before its user has signed in. */
export function consoleConfigRoute(config: ConsoleConfig): Route<never> {
  return definePublicRoute({
    method: 'GET',
    path: consoleConfigPath,
    operationId: 'getConsoleConfig',
    summary: 'Returns the sign-in settings of the console.',
    tag: 'service',
    access: 'public',
    responses: { 200: { description: 'Issuer and client id.', schema: consoleConfigSchema } },
    handler: () => ({ status: 200, body: config }),
  });
}
