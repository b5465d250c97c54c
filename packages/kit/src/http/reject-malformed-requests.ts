import { randomUUID } from 'node:crypto';
import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { RequestHandler } from 'express';
import { AppError } from '../app-error.js';
import { toProblem } from './problem.js';

/**
 * Maximum number of header lines. Node silently drops lines above its own limit. Node's limit is therefore one line
 * higher, so that the middleware sees the additional line and rejects the request.
 */
export const maxHeaderLines = 200;

/**
 * Middleware that rejects malformed requests with a problem document. Without this middleware, Node would respond
 * without a body, or drop header lines above its limit without an error. A dropped line can contain the credential.
 */
export const rejectMalformedRequests: RequestHandler = (request, _response, next) => {
  const { headers, httpVersion, rawHeaders } = request;
  if (rawHeaders.length > 2 * maxHeaderLines) {
    throw new AppError('headers_too_large', `The request has more than ${maxHeaderLines} header lines.`);
  }
  if (headers.host === undefined && httpVersion === '1.1') {
    throw new AppError('invalid_request', 'The request has no Host header.');
  }
  if (rawHeaders.filter(isAuthorizationName).length > 1) {
    throw new AppError('invalid_request', 'The request has more than one Authorization header.');
  }
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue') {
    throw new AppError('invalid_request', 'The Expect header must be 100-continue.');
  }
  next();
};

/**
 * Middleware that rejects a path that cannot be decoded. Without this middleware, Express would reject the path before
 * authentication only if it matches a route, so the response would show which paths exist.
 */
export const rejectMalformedPaths: RequestHandler = ({ path }, _response, next) => {
  if (!isDecodable(path)) {
    throw new AppError('invalid_request', 'The path has a percent escape that is not UTF-8.');
  }
  next();
};

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns true for an item of `rawHeaders` that is the name of an Authorization header. A request with two of these
 * headers is rejected, because Node uses the first one and a proxy may have checked the other.
 */
function isAuthorizationName(text: string, index: number): boolean {
  return index % 2 === 0 && text.toLowerCase() === 'authorization';
}

/**
 * Makes the server respond with a problem document to bytes that are not valid HTTP and to a request that takes too
 * long, and then close the connection.
 */
export function rejectMalformedBytes(server: Server): void {
  const latestResponses = new WeakMap<Duplex, ServerResponse>();
  server.prependListener('request', ({ socket }, response) => latestResponses.set(socket, response));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const latest = latestResponses.get(socket);
    // If the client has received only a part of a response, a problem document would look like the rest of that
    // response. The connection is cut instead.
    const isResponding = latest?.headersSent && !latest.writableFinished;
    if (!socket.writable || isResponding || error.code === 'ECONNRESET') socket.destroy(error);
    else socket.end(serializeProblem(error), () => socket.destroy());
  });
}

function serializeProblem(error: NodeJS.ErrnoException): Buffer {
  const { status, headers, body } = toProblem(describeParseError(error), randomUUID());
  const content = Buffer.from(JSON.stringify(body));
  const lines = Object.entries({ ...headers, 'Content-Length': content.length, Connection: 'close' });
  const head = [
    `HTTP/1.1 ${status} ${body.title}`,
    `Date: ${new Date().toUTCString()}`,
    ...lines.map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), content]);
}

function describeParseError(cause: NodeJS.ErrnoException): AppError {
  switch (cause.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new AppError('headers_too_large', 'The request header is too large.', { cause });
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new AppError('payload_too_large', 'The chunk extensions of the request are too large.', {
        cause,
      });
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new AppError('request_timeout', 'The request was not complete in time.', { cause });
    default:
      return new AppError('invalid_request', 'The request is not valid HTTP/1.1.', { cause });
  }
}
