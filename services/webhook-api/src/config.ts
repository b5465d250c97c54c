import { maxAlertBytes } from '@tocsin/contracts';
import { readSecretsKeys } from '@tocsin/database';
import { type OpenDeliveryLimits, readOpenDeliveryLimits } from '@tocsin/deliveries';
import { type EgressSettings, readEgressSettings } from '@tocsin/egress';
import { type IdentitySettings, readIdentitySettings } from '@tocsin/identity';
import { type EnvReader, readEnv, readServiceConfig, type Secret, type ServiceConfig } from '@tocsin/kit';

export interface WebhookApiConfig extends ServiceConfig {
  databasePoolSize: number;
  /** Maximum wait for the broker at the start, in milliseconds. */
  brokerWaitMs: number;
  secretsKeys: Secret;
  identity: IdentitySettings;
  /** Client id of the console at the identity provider. */
  consoleClientId: string;
  egress: EgressSettings;
  /** Public URL of the API without a slash at the end, for links. Empty if it is not configured. */
  publicUrl: string;
  limits: WebhookApiLimits;
}

/** Limits of the API. Each instance counts the limits per minute separately. */
export interface WebhookApiLimits {
  requestBytes: number;
  /** Maximum number of requests per minute of one principal. Requests that publish alerts have their own limit. */
  requestsPerMinute: number;
  /** Maximum number of published alerts per minute of one principal. */
  alertsPerMinute: number;
  /**
   * Maximum number of requests per minute to one workspace, from all principals together. Requests that publish alerts
   * have their own limit.
   */
  workspaceRequestsPerMinute: number;
  /** Maximum number of alerts per minute that all principals publish to one workspace. */
  workspaceAlertsPerMinute: number;
  /** Maximum number of tests of destinations and webhooks per minute in one workspace. */
  testsPerMinute: number;
  webhooksPerWorkspace: number;
  alertRulesPerWorkspace: number;
  openDeliveries: OpenDeliveryLimits;
}

/**
 * Reads all settings of the service.
 * @throws ConfigError that lists all problems
 */
export function loadConfig(env: NodeJS.ProcessEnv): Readonly<WebhookApiConfig> {
  return readEnv(env, (read) => ({
    ...readServiceConfig(read, { port: 8080, metricsPort: 9090 }),
    databasePoolSize: read.int('DATABASE_POOL_SIZE', 10, { min: 1, max: 100 }),
    brokerWaitMs: read.durationMs('BROKER_WAIT', 10_000),
    secretsKeys: readSecretsKeys(read),
    identity: readIdentitySettings(read, { audience: 'tocsin-api' }),
    consoleClientId: read.string('CONSOLE_CLIENT_ID', 'tocsin-console'),
    egress: readEgressSettings(read),
    publicUrl: publicUrl(read),
    limits: {
      requestBytes: read.int('MAX_REQUEST_BYTES', maxAlertBytes, { min: 1_024 }),
      ...rateLimits(read),
      testsPerMinute: read.int('TESTS_PER_MINUTE', 30, { min: 1 }),
      webhooksPerWorkspace: read.int('WEBHOOKS_PER_WORKSPACE', 1_000, { min: 1 }),
      alertRulesPerWorkspace: read.int('ALERT_RULES_PER_WORKSPACE', 10_000, { min: 1 }),
      openDeliveries: readOpenDeliveryLimits(read),
    },
  }));
}

/** Reads the limits per minute. The default limit of a workspace is twice the limit of a principal. */
function rateLimits(read: EnvReader) {
  const requestsPerMinute = read.int('REQUESTS_PER_MINUTE', 1_200, { min: 1 });
  const alertsPerMinute = read.int('ALERTS_PER_MINUTE', 30_000, { min: 1 });
  return {
    requestsPerMinute,
    alertsPerMinute,
    workspaceRequestsPerMinute: read.int('WORKSPACE_REQUESTS_PER_MINUTE', 2 * requestsPerMinute, { min: 1 }),
    workspaceAlertsPerMinute: read.int('WORKSPACE_ALERTS_PER_MINUTE', 2 * alertsPerMinute, { min: 1 }),
  };
}

/**
 * Returns the public URL without a slash at the end, because paths start with a slash. Returns an empty string if no
 * public URL is configured.
 */
function publicUrl(read: EnvReader): string {
  if (read.optionalString('PUBLIC_URL') === undefined) return '';
  return read.url('PUBLIC_URL').replace(/\/+$/, '');
}
