import { type IdentitySettings, readIdentitySettings } from '@tocsin/identity';
import { readEnv, readServiceConfig, type Secret, type ServiceConfig } from '@tocsin/kit';

export interface EngineAuthConfig extends ServiceConfig {
  /** The admin key. Without one, only tokens with the role `tocsin_engine_admin` can manage keys. */
  adminKey: Secret | undefined;
  identity: IdentitySettings;
  maxActiveKeys: number;
}

/**
 * Reads all settings of the service.
 * @throws ConfigError that lists all problems
 */
export function loadConfig(env: NodeJS.ProcessEnv): EngineAuthConfig {
  return readEnv(env, (read) => ({
    ...readServiceConfig(read, { port: 8081, metricsPort: 9091 }),
    adminKey: read.optionalSecret('GENAI_ENGINE_ADMIN_KEY'),
    identity: readIdentitySettings(read, { audience: 'tocsin-engine' }),
    maxActiveKeys: read.int('MAX_API_KEYS', 100, { min: 1, max: 100_000 }),
  }));
}
