import type { Logger } from '../logger.js';
import type { Shutdown } from '../shutdown.js';

type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanOptions {
  kind: 'server' | 'producer' | 'consumer' | 'client';
  /** Trace context of the work that caused this span. Without a valid context, the span starts a new trace. */
  parent: string | null | undefined;
  attributes: SpanAttributes;
  /** Start in Unix milliseconds. Default: now. */
  startedAtMs?: number;
}

interface SpanEnd {
  attributes?: SpanAttributes;
  /** Description of the failure, without secrets. A span with an error counts as failed. */
  error?: string | undefined;
  /** End in Unix milliseconds. Default: now. */
  endedAtMs?: number;
}

/** A unit of work in a trace. */
export interface Span {
  /** Trace context for work that this span causes. */
  readonly traceparent: string;
  end(end?: SpanEnd): void;
}

export interface Tracing {
  startSpan(name: string, options: SpanOptions): Span;
}

export interface TracingDeps {
  service: string;
  logger: Logger;
  shutdown: Shutdown;
}
