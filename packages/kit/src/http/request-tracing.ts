import type { RequestHandler } from 'express';
import type { Tracing } from '../tracing/span.js';
import { traceparentOf } from '../tracing/tracing.js';
import { statusOf } from './request-log.js';

/**
 * Middleware that creates a span for each request to a route, except health checks. The parent of the span is the span
 * in the trace context that the caller has sent.
 */
export function traceRequests(tracing: Tracing): RequestHandler {
  return ({ method, headers }, response, next) => {
    const { request } = response.locals;
    const { route } = request;
    if (route === '/livez' || route === '/readyz') return next();
    const span = tracing.startSpan(`${method} ${route}`, {
      kind: 'server',
      parent: traceparentOf(headers),
      attributes: { 'http.request.method': method, 'http.route': route, 'tocsin.request_id': request.id },
    });
    request.traceparent = span.traceparent;
    response.once('close', () => {
      const status = statusOf(response);
      span.end({
        attributes: { 'http.response.status_code': status },
        error: status >= 500 ? `The response has status ${status}.` : undefined,
      });
    });
    next();
  };
}
