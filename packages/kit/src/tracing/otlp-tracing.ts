import {
  type Context,
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { instanceName, readVersion } from '../build-identity.js';
import { withTimeout } from '../concurrency/timeout.js';
import { createLogThrottle } from '../log-throttle.js';
import type { Logger } from '../logger.js';
import type { Span, SpanOptions, Tracing, TracingDeps } from './span.js';

const kinds: Record<SpanOptions['kind'], SpanKind> = {
  server: SpanKind.SERVER,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  client: SpanKind.CLIENT,
};

export function createOtlpTracing({ service, logger, shutdown }: TracingDeps): Tracing {
  reportFaults(logger);
  const version = readVersion();
  const provider = new BasicTracerProvider({
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES take precedence over the attributes that are set in code.
    resource: defaultResource()
      .merge(
        resourceFromAttributes({
          'service.name': service,
          'service.version': version,
          'service.instance.id': instanceName(),
        }),
      )
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  // Unsent spans are sent during the shutdown. Spans that are still unsent at its deadline are lost.
  shutdown.add('tracing', (remainingMs) =>
    withTimeout(provider.shutdown(), { timeoutMs: remainingMs }).catch(() => {}),
  );
  const tracer = provider.getTracer('tocsin', version);
  return {
    startSpan(name, { kind, parent, attributes, startedAtMs }) {
      const span = tracer.startSpan(
        name,
        { kind: kinds[kind], attributes, ...(startedAtMs !== undefined && { startTime: startedAtMs }) },
        contextOf(parent),
      );
      const { traceId, spanId, traceFlags } = span.spanContext();
      return {
        traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
        end({ attributes: further, error, endedAtMs } = {}) {
          if (further !== undefined) span.setAttributes(further);
          if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
          span.end(endedAtMs);
        },
      } satisfies Span;
    },
  };
}

function contextOf(traceparent: string | null | undefined): Context {
  const parent = traceparent ? parseTraceParent(traceparent) : null;
  return parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true });
}

/**
 * Minimum time between two log lines about failed exports, in milliseconds. Every export fails while the receiver is
 * down.
 */
const reportEveryMs = 60_000;

function reportFaults(logger: Logger): void {
  const throttle = createLogThrottle({ everyMs: reportEveryMs });
  const report = (reason: string) => {
    throttle(() => logger.warn({ reason }, 'tracing.failed'));
  };
  const ignore = () => {};
  diag.setLogger(
    { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore },
    DiagLogLevel.WARN,
  );
}
