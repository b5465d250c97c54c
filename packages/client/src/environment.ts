/**
 * Returns the variable `SERVICE_API_KEY`. No other function of the library reads environment variables, and importing
 * the library reads none.
 */
export function readServiceApiKey(env: NodeJS.ProcessEnv = process.env): string | undefined {
  return env.SERVICE_API_KEY || undefined;
}
