import type { ErrorRequestHandler, Response } from 'express';
import { toProblem } from './problem.js';
import type { ResponseHeaders } from './route.js';

interface Answer {
  status: number;
  headers?: ResponseHeaders;
  body?: unknown;
  contentType?: string | undefined;
}

/** Writes an answer. JSON unless `contentType` says that the body is text or bytes to be sent as they are. */
export function respond(response: Response, { status, headers, body, contentType }: Answer): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value);
  if (body === undefined) {
    response.end();
    return;
  }
  const bytes = contentType === undefined ? Buffer.from(JSON.stringify(body)) : Buffer.from(body as string);
  if (!response.hasHeader('Content-Type')) {
    response.setHeader('Content-Type', contentType ?? 'application/json; charset=utf-8');
  }
  response.setHeader('Content-Length', bytes.length);
  response.end(bytes);
}

/** The one place where an error becomes an answer. */
export function sendProblem(translate: (error: unknown) => unknown = (error) => error): ErrorRequestHandler {
  return (thrown, _request, response: Response, _next) => {
    const error = translate(thrown);
    const tracked = response.locals.request;
    tracked.error = error;
    if (response.headersSent || response.destroyed) {
      // Part of an answer is out already: cutting it short is the only way left to say that it is not whole.
      response.destroy();
      return;
    }
    respond(response, toProblem(error, tracked.id));
  };
}
