import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler } from 'express';

/** State of one request, in `response.locals.request`. */
interface RequestContext {
  id: string;
  /**
   * Aborted when the connection closes before the response is complete. Node creates the signal of a controller when it
   * is first read. An `AbortSignal` is expensive, so only the few handlers that need the signal read it.
   */
  aborted: AbortController;
  /** Declared path of the route, for logs and metrics; undefined if no route matches. */
  route: string | undefined;
  /** Trace context of the request's span; undefined while tracing is off. */
  traceparent: string | undefined;
  /** Error that has caused the response, for the log; undefined without an error. */
  error: unknown;
  /** Further fields of the log line. */
  logFields: Record<string, unknown>;
}

declare global {
  namespace Express {
    interface Locals {
      request: RequestContext;
      principal: unknown;
    }
  }
}

/**
 * Error for a client that closed the connection before the response was complete. The error is only logged, because the
 * client receives no response.
 */
export class RequestAborted extends Error {
  constructor(options?: ErrorOptions) {
    super('The client closed the connection before the response was complete.', options);
    this.name = 'RequestAborted';
  }
}

/** Middleware that gives each request its context, and each response its request id and security headers. */
export const requestContext: RequestHandler = (request, response, next) => {
  const aborted = new AbortController();
  const id = requestId(request);
  response.locals.request = {
    id,
    aborted,
    route: undefined,
    traceparent: undefined,
    error: undefined,
    logFields: {},
  };
  response.setHeader('X-Request-Id', id);
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Cache-Control', 'no-store');
  response.once('close', () => {
    if (!response.writableFinished) aborted.abort();
  });
  response.once('finish', () => stopUnreadBody(request));
  next();
};

/** Returns true for a request id that is safe to write into logs and message headers. */
export function isSafeRequestId(id: unknown): id is string {
  return typeof id === 'string' && /^[\w.~:/+=@-]{1,128}$/.test(id);
}

function requestId(request: Request): string {
  const given = request.headers['x-request-id'];
  return isSafeRequestId(given) ? given : randomUUID();
}

/**
 * Time, in milliseconds, that a client has to finish sending its body after the response is complete. Then the
 * connection is closed.
 */
const unreadBodyMs = 5_000;

function stopUnreadBody(request: Request): void {
  if (request.complete) return;
  const timer = setTimeout(() => request.destroy(), unreadBodyMs).unref();
  request.once('close', () => clearTimeout(timer));
}
