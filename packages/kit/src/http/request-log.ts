import type { RequestHandler, Response } from 'express';
import type { Logger } from '../logger.js';
import type { Metrics } from '../metrics.js';

/**
 * Status that is logged if the client closed the connection before the response was complete. nginx uses the same
 * number.
 */
const clientClosedRequest = 499;

/** Middleware that writes one `http.request` line for each request and measures its duration. */
export function requestLog({ logger, metrics }: { logger: Logger; metrics: Metrics }): RequestHandler {
  const duration = metrics.histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request line to the end of the response.',
    labels: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  });
  return ({ method }, response, next) => {
    const startedAtMs = performance.now();
    response.once('close', () => {
      const { id, route = 'none', logFields } = response.locals.request;
      const status = statusOf(response);
      const durationMs = performance.now() - startedAtMs;
      duration.observe({ method, route, status: String(status) }, durationMs / 1000);
      const line = { request_id: id, method, route, status, duration_ms: Math.round(durationMs * 10) / 10 };
      logger[levelOf(status, route)](
        { ...line, ...logFields, ...errorFields(status, response) },
        'http.request',
      );
    });
    next();
  };
}

/** Returns the status of a closed response; 499 if the client disconnected before the end of the response. */
export function statusOf(response: Response): number {
  return response.writableFinished ? response.statusCode : clientClosedRequest;
}

function levelOf(status: number, route: string): 'debug' | 'success' | 'info' | 'warn' | 'error' {
  if (status === 500) return 'error';
  if (status > 500) return 'warn';
  if (route === '/livez' || route === '/readyz') return 'debug';
  return status < 400 ? 'success' : 'info';
}

/**
 * Returns the fields of the log line that describe the error. Below status 500, an `Error` is logged without its stack.
 */
function errorFields(status: number, response: Response): object {
  const { error } = response.locals.request;
  if (error === undefined) return {};
  return status < 500 && error instanceof Error ? { reason: error.message } : { err: error };
}
