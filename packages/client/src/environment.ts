/** The only place of the library that reads the environment. Nothing is read at import. */
export function readServiceApiKey(env: NodeJS.ProcessEnv = process.env): string | undefined {
  return env.SERVICE_API_KEY || undefined;
}
