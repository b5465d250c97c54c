/** The only function of the library that reads environment variables. Importing the library reads none. */
export function readServiceApiKey(env: NodeJS.ProcessEnv = process.env): string | undefined {
  return env.SERVICE_API_KEY || undefined;
}
