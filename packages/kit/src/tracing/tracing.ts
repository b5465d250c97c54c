import type { Tracing, TracingParts } from './span.js';

/** Header of HTTP requests and of messages with the context of the work that caused them, as W3C Trace Context defines it. */
export const traceparentHeader = 'traceparent';

/** Length of a context of version 00, the only one that exists. */
const traceparentLength = 55;

/** The context in a header that somebody else has set; undefined for a value that cannot be one. */
export function traceparentOf(headers: Readonly<Record<string, unknown>>): string | undefined {
  const value = headers[traceparentHeader];
  return typeof value === 'string' && value.length === traceparentLength ? value : undefined;
}

interface TracingOptions extends TracingParts {
  /** URL of the receiver; undefined switches tracing off. */
  endpoint: string | undefined;
}

/**
 * Sends spans over OTLP. OpenTelemetry is loaded only if there is an endpoint, and reads its other settings from the
 * standard variables `OTEL_*`. A receiver that does not respond costs spans and delays nothing.
 */
export async function startTracing({ endpoint, ...options }: TracingOptions): Promise<Tracing | undefined> {
  if (endpoint === undefined) return undefined;
  const { createOtlpTracing } = await import('./otlp-tracing.js');
  return createOtlpTracing(options);
}
