import type { Tracing, TracingDeps } from './span.js';

/** Header of HTTP requests and messages with the trace context of the work that caused them (W3C Trace Context). */
export const traceparentHeader = 'traceparent';

/** Length in characters of a W3C trace context of version 00, the only version that exists. */
const traceparentLength = 55;

/** Returns the trace context from the headers of a request or message; undefined if the value cannot be a context. */
export function traceparentOf(headers: Readonly<Record<string, unknown>>): string | undefined {
  const value = headers[traceparentHeader];
  return typeof value === 'string' && value.length === traceparentLength ? value : undefined;
}

interface TracingOptions extends TracingDeps {
  /** URL of the receiver; undefined switches tracing off. */
  endpoint: string | undefined;
}

/**
 * Sends spans over OTLP. OpenTelemetry is loaded only if `endpoint` is set, and reads its other settings from the
 * standard variables `OTEL_*`. If the receiver does not respond, spans are lost, and only the shutdown is delayed.
 */
export async function startTracing({ endpoint, ...options }: TracingOptions): Promise<Tracing | undefined> {
  if (endpoint === undefined) return undefined;
  const { createOtlpTracing } = await import('./otlp-tracing.js');
  return createOtlpTracing(options);
}
