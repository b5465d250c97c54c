import { randomUUID } from 'node:crypto';
import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError } from '../app-error.js';
import { toProblem } from './problem.js';

/**
 * Answers what cannot be read as HTTP with a problem document, as everything else is, and closes the connection. Node
 * answers it with a bare status line.
 */
export function answerMalformedRequests(server: Server): void {
  const answers = new WeakMap<Duplex, ServerResponse>();
  server.prependListener('request', ({ socket }, response) => answers.set(socket, response));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const answer = answers.get(socket);
    // A second answer in the middle of a first one would be read as a part of it.
    const underWay = answer?.headersSent && !answer.writableFinished;
    if (!socket.writable || underWay || error.code === 'ECONNRESET') socket.destroy(error);
    else socket.end(toBytes(error), () => socket.destroy());
  });
}

function toBytes(error: NodeJS.ErrnoException): Buffer {
  const { status, headers, body } = toProblem(toAppError(error), randomUUID());
  const content = Buffer.from(JSON.stringify(body));
  const lines = Object.entries({ ...headers, 'Content-Length': content.length, Connection: 'close' });
  const head = [
    `HTTP/1.1 ${status} ${body.title}`,
    `Date: ${new Date().toUTCString()}`,
    ...lines.map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), content]);
}

function toAppError(cause: NodeJS.ErrnoException): AppError {
  switch (cause.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new AppError('headers_too_large', 'The header of the request is too large.', { cause });
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new AppError('payload_too_large', 'The chunk extensions of the request are too large.', {
        cause,
      });
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new AppError('request_timeout', 'The request did not come in whole in time.', { cause });
    default:
      return new AppError('invalid_request', 'The request is not valid HTTP/1.1.', { cause });
  }
}
