import type { ErrorRequestHandler, Response } from 'express';
import { toProblem } from './problem.js';
import { RequestAborted } from './request-aborted.js';
import type { ResponseHeaders } from './route.js';

interface Answer {
  status: number;
  headers?: ResponseHeaders | undefined;
  body?: unknown;
  contentType?: string | undefined;
}

/**
 * Writes an answer. JSON unless `contentType` says that the body is text or bytes to be sent as they are. Pages become
 * one array; resolves when the last one is written.
 */
export async function respond(response: Response, answer: Answer): Promise<void> {
  if (isPages(answer.body)) await writePages(response, { ...answer, body: answer.body });
  else writeWhole(response, answer);
}

function writeWhole(response: Response, { status, headers, body, contentType }: Answer): void {
  writeHead(response, { status, headers });
  if (body === undefined) {
    response.end();
    return;
  }
  const bytes = contentType === undefined ? Buffer.from(JSON.stringify(body)) : Buffer.from(body as string);
  if (!response.hasHeader('Content-Type')) response.setHeader('Content-Type', contentType ?? json);
  response.setHeader('Content-Length', bytes.length);
  response.end(bytes);
}

const json = 'application/json; charset=utf-8';

function writeHead(response: Response, { status, headers = {} }: Pick<Answer, 'status' | 'headers'>): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

type Pages = AsyncIterable<readonly unknown[]>;

function isPages(body: unknown): body is Pages {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

/** The next page is asked for when this one is on its way: of a client that reads slowly, one is held. */
async function writePages(
  response: Response,
  { body, status, headers }: Answer & { body: Pages },
): Promise<void> {
  const begin = () => {
    if (response.headersSent) return;
    writeHead(response, { status, headers: { ...headers, 'Content-Type': json } });
  };
  let before = '[';
  for await (const items of body) {
    if (items.length === 0) continue;
    if (isGone(response)) throw new RequestAborted();
    // Not before the first page is there: a fault until then has a status of its own.
    begin();
    const text = items.map((item) => JSON.stringify(item)).join(',');
    if (!response.write(before + text)) await drained(response);
    if (isGone(response)) throw new RequestAborted();
    before = ',';
    if (response.req.method === 'HEAD') break;
  }
  begin();
  response.end(before === '[' ? '[]' : ']');
}

/** An answer that waits for the one before it (pipelining) is not told that its connection has ended. */
function isGone(response: Response): boolean {
  return response.destroyed || response.req.socket.destroyed;
}

function drained(response: Response): Promise<void> {
  const { socket } = response.req;
  return new Promise((resolve) => {
    const go = () => {
      response.off('drain', go).off('close', go);
      socket.off('close', go);
      resolve();
    };
    response.on('drain', go).on('close', go);
    socket.on('close', go);
  });
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
    writeWhole(response, toProblem(error, tracked.id));
  };
}
