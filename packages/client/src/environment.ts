/** The one place of the library where the environment is read, and only when it is asked. */
export function readServiceApiKey(env: NodeJS.ProcessEnv = process.env): string | undefined {
  return env.SERVICE_API_KEY || undefined;
}
