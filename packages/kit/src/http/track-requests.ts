import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import type { Logger } from '../logger.js';
import type { Metrics } from '../metrics.js';

/** What is known of the request being answered, under `response.locals.request`. */
interface TrackedRequest {
  id: string;
  /** Aborted when the client goes away unanswered. */
  signal: AbortSignal;
  /** The path as it is declared; set once a route is found. */
  route: string | undefined;
  /** What went wrong, for the log line. */
  error: unknown;
  log(fields: Record<string, unknown>): void;
}

declare global {
  namespace Express {
    interface Locals {
      request: TrackedRequest;
      principal: unknown;
    }
  }
}

// How long a client may go on sending a body that nobody reads before its connection is closed.
const unreadBodyMs = 5_000;

/** Gives each request an id, security headers, one `http.request` line and one observation of its duration. */
export function trackRequests({ logger, metrics }: { logger: Logger; metrics: Metrics }): RequestHandler {
  const duration = metrics.histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request line to the end of the answer.',
    labels: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  });
  return (request, response, next) => {
    const startedAt = performance.now();
    const aborted = new AbortController();
    const fields: Record<string, unknown> = {};
    const tracked: TrackedRequest = {
      id: requestId(request),
      signal: aborted.signal,
      route: undefined,
      error: undefined,
      log: (more) => Object.assign(fields, more),
    };
    response.locals.request = tracked;
    response.setHeader('X-Request-Id', tracked.id);
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Cache-Control', 'no-store');
    response.once('finish', () => closeIfBodyLingers(request));
    response.once('close', () => {
      const isAborted = !response.writableFinished;
      if (isAborted) aborted.abort();
      // 499 as nginx writes it: the client did not wait for a status.
      const status = isAborted ? 499 : response.statusCode;
      const durationMs = performance.now() - startedAt;
      const route = tracked.route ?? 'none';
      duration.observe({ method: request.method, route, status: String(status) }, durationMs / 1000);
      const line = {
        request_id: tracked.id,
        method: request.method,
        route,
        status,
        duration_ms: round(durationMs),
      };
      logger[levelOf(status, route)]({ ...line, ...fields, ...errorOf(status, tracked) }, 'http.request');
    });
    next();
  };
}

const saneId = /^[A-Za-z0-9._~:/+=@-]{1,128}$/;

function requestId(request: Request): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && saneId.test(given) ? given : randomUUID();
}

function closeIfBodyLingers(request: Request): void {
  if (request.complete) return;
  const timer = setTimeout(() => request.destroy(), unreadBodyMs);
  timer.unref();
  request.once('close', () => clearTimeout(timer));
}

function levelOf(status: number, route: string): 'debug' | 'info' | 'warn' | 'error' {
  if (status === 500) return 'error';
  if (status > 500) return 'warn';
  return route === '/livez' || route === '/readyz' ? 'debug' : 'info';
}

function errorOf(status: number, { error }: TrackedRequest): object {
  if (error === undefined) return {};
  // What the caller did wrong needs no stack.
  return status < 500 && error instanceof Error ? { reason: error.message } : { err: error };
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}
