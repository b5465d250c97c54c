import type { Tracing, TracingDeps } from './span.js';

/**
 * Header of HTTP requests and messages. It contains the trace context (W3C Trace Context) of the work that caused the
 * request or message.
 */
export const traceparentHeader = 'traceparent';

/** Length in characters of a W3C trace context of version 00, the only version that exists. */
const traceparentLength = 55;

/**
 * Returns the trace context from the headers of a request or message. Returns undefined if the header is missing or its
 * value does not have the length of a trace context.
 */
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
 * standard variables `OTEL_*`. If the receiver does not respond, the spans are lost, and only the shutdown of the
 * service is delayed.
 */
export async function startTracing({ endpoint, ...options }: TracingOptions): Promise<Tracing | undefined> {
  if (endpoint === undefined) return undefined;
  const { createOtlpTracing } = await import('./otlp-tracing.js');
  return createOtlpTracing(options);
}
