import type { ErrorRequestHandler, Response } from 'express';
import { toProblem } from './problem.js';
import { RequestAborted } from './request-context.js';
import type { ResponseHeaders } from './route.js';

/** The response that a handler returns. */
export interface HandlerResult {
  status: number;
  headers?: ResponseHeaders | undefined;
  body?: unknown;
}

interface ResponseContent extends HandlerResult {
  contentType?: string | undefined;
}

/**
 * Writes a response. The body is serialized as JSON unless `contentType` is given. Pages are written as one JSON array,
 * and the promise resolves after the last page.
 */
export async function respond(response: Response, content: ResponseContent): Promise<void> {
  if (isPages(content.body)) await writePages(response, { ...content, body: content.body });
  else writeWhole(response, content);
}

/** The error middleware. It turns the errors of all middleware and handlers into responses. */
export function errorHandler(translate: (error: unknown) => unknown = (error) => error): ErrorRequestHandler {
  return (thrown, _request, response: Response, _next) => {
    const error = translate(thrown);
    const { request } = response.locals;
    request.error = error;
    // If a part of the response has been sent, cutting the connection is the only way to report an error.
    if (response.headersSent || response.destroyed) response.destroy();
    else writeWhole(response, toProblem(error, request.id));
  };
}

export const jsonContentType = 'application/json; charset=utf-8';

function writeWhole(response: Response, { status, headers, body, contentType }: ResponseContent): void {
  writeHead(response, { status, headers });
  if (body === undefined) {
    response.end();
    return;
  }
  // The JSON text is passed as a string, which Node joins with the head in one chunk. Shared responses are bytes,
  // because they are encoded once for many callers.
  const content = contentType === undefined ? JSON.stringify(body) : (body as string | Uint8Array);
  if (!response.hasHeader('Content-Type')) response.setHeader('Content-Type', contentType ?? jsonContentType);
  response.setHeader('Content-Length', Buffer.byteLength(content));
  response.end(content);
}

function writeHead(
  response: Response,
  { status, headers = {} }: Pick<ResponseContent, 'status' | 'headers'>,
): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

type Pages = AsyncIterable<readonly unknown[]>;

function isPages(body: unknown): body is Pages {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

/**
 * Returns a body as JSON text; the pages of a body become one array. Returns undefined if the text of the pages is
 * longer than `maxLength` UTF-16 units.
 */
export async function toJson(body: unknown, maxLength: number): Promise<string | undefined> {
  if (!isPages(body)) return JSON.stringify(body);
  let text = '';
  for await (const items of body) {
    if (items.length > 0) text += `${text === '' ? '' : ','}${toItems(items)}`;
    if (text.length > maxLength) return undefined;
  }
  return `[${text}]`;
}

function toItems(items: readonly unknown[]): string {
  return items.map((item) => JSON.stringify(item)).join(',');
}

/**
 * Writes pages as one JSON array. The next page is read only when the send buffer has room, so that few pages are in
 * memory for a slow client.
 */
async function writePages(
  response: Response,
  { body, status, headers }: ResponseContent & { body: Pages },
): Promise<void> {
  const start = () => {
    if (response.headersSent) return;
    writeHead(response, { status, headers: { ...headers, 'Content-Type': jsonContentType } });
  };
  let separator = '[';
  for await (const items of body) {
    if (items.length === 0) continue;
    if (isClosed(response)) throw new RequestAborted();
    // The head is sent with the first page, so that an error before the first page can still set the status.
    start();
    if (!response.write(separator + toItems(items))) await drained(response);
    if (isClosed(response)) throw new RequestAborted();
    separator = ',';
    if (response.req.method === 'HEAD') break;
  }
  start();
  response.end(separator === '[' ? '[]' : ']');
}

/**
 * Returns true if the client has disconnected. The socket is checked too, because Node does not destroy a response that
 * still waits for an earlier pipelined response.
 */
function isClosed(response: Response): boolean {
  return response.destroyed || response.req.socket.destroyed;
}

function drained(response: Response): Promise<void> {
  const { socket } = response.req;
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      socket.off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
    socket.on('close', done);
  });
}
