import { type IdentitySettings, readIdentitySettings } from '@tocsin/identity';
import { type LogLevel, logLevels, readEnv, type Secret } from '@tocsin/kit';

export interface EngineAuthConfig {
  http: { host: string; port: number };
  metrics: { host: string; port: number };
  logLevel: LogLevel;
  databaseUrl: Secret;
  amqpUrl: Secret;
  /** Undefined: there is no admin key, and only tokens with `tocsin_engine_admin` manage keys. */
  adminKey: Secret | undefined;
  identity: IdentitySettings;
  maxActiveKeys: number;
}

/** @throws ConfigError that lists every problem */
export function loadConfig(env: NodeJS.ProcessEnv): EngineAuthConfig {
  return readEnv(env, (read) => {
    const host = read.string('HOST', '0.0.0.0');
    return {
      http: { host, port: read.port('PORT', 8081) },
      metrics: { host, port: read.port('METRICS_PORT', 9091) },
      logLevel: read.oneOf('LOG_LEVEL', logLevels, 'info'),
      databaseUrl: read.secretUrl('DATABASE_URL', ['postgres', 'postgresql']),
      amqpUrl: read.secretUrl('AMQP_URL', ['amqp', 'amqps']),
      adminKey: read.optionalSecret('GENAI_ENGINE_ADMIN_KEY'),
      identity: readIdentitySettings(read, { audience: 'tocsin-engine' }),
      maxActiveKeys: read.int('MAX_API_KEYS', 100, { min: 1, max: 100_000 }),
    };
  });
}
