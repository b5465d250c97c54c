import type { Logger } from '../logger.js';
import type { Shutdown } from '../shutdown.js';

type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanOptions {
  kind: 'server' | 'producer' | 'consumer' | 'client';
  /** Context of the work that caused this one. Unless it is valid, the span begins a trace. */
  parent: string | null | undefined;
  attributes: SpanAttributes;
  /** Start in Unix milliseconds. Default: now. */
  startedAtMs?: number;
}

interface SpanEnd {
  attributes?: SpanAttributes;
  /** A sentence without secrets. The span then counts as failed. */
  error?: string | undefined;
  /** End in Unix milliseconds. Default: now. */
  endedAtMs?: number;
}

/** A piece of work in a trace. */
export interface Span {
  /** Context for work that this one causes. */
  readonly traceparent: string;
  end(end?: SpanEnd): void;
}

export interface Tracing {
  startSpan(name: string, options: SpanOptions): Span;
}

export interface TracingParts {
  service: string;
  logger: Logger;
  shutdown: Shutdown;
}
