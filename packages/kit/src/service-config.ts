import type { EnvReader } from './env.js';
import { type LogLevel, logLevels } from './logger.js';
import type { Secret } from './secret.js';
import { readBrokerUrl, readDatabaseUrl } from './server-url.js';

/** Settings that every service has. */
export interface ServiceConfig {
  /**
   * Address of the HTTP server for the API, `/livez` and `/readyz`. In a service without an API, the server has only
   * `/livez` and `/readyz`.
   */
  http: { host: string; port: number };
  /** Address of the server for `/metrics`. */
  metrics: { host: string; port: number };
  logLevel: LogLevel;
  /** Percentage of the log lines about successful work that the service writes. The lines are chosen at random. */
  logSuccessPercent: number;
  /**
   * URL of an OTLP receiver (OTEL_EXPORTER_OTLP_ENDPOINT); undefined switches tracing off. OpenTelemetry itself reads
   * the other variables `OTEL_*`.
   */
  tracingEndpoint: string | undefined;
  databaseUrl: Secret;
  amqpUrl: Secret;
}

/** Reads the settings that every service has. `port` and `metricsPort` are the default ports. */
export function readServiceConfig(
  read: EnvReader,
  { port, metricsPort }: { port: number; metricsPort: number },
): ServiceConfig {
  const host = read.string('HOST', '0.0.0.0');
  return {
    http: { host, port: read.port('PORT', port) },
    metrics: { host, port: read.port('METRICS_PORT', metricsPort) },
    logLevel: read.oneOf('LOG_LEVEL', logLevels, 'info'),
    logSuccessPercent: read.int('LOG_SUCCESS_PERCENT', 100, { min: 0, max: 100 }),
    tracingEndpoint: readTracingEndpoint(read),
    databaseUrl: readDatabaseUrl(read),
    amqpUrl: readBrokerUrl(read),
  };
}

function readTracingEndpoint(read: EnvReader): string | undefined {
  const isDisabled = read.bool('OTEL_SDK_DISABLED', false);
  if (isDisabled || read.optionalString('OTEL_EXPORTER_OTLP_ENDPOINT') === undefined) return undefined;
  return read.url('OTEL_EXPORTER_OTLP_ENDPOINT');
}
