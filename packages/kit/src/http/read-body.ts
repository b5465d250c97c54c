import type { IncomingMessage } from 'node:http';
import { AppError } from '../app-error.js';
import { RequestAborted } from './request-aborted.js';

/** What a piece costs is not its bytes: a mebibyte in chunks of one would take a third of a second. */
const minMeanPieceBytes = 128;
/** So many small ones are taken all the same. */
const maxSmallPieces = 8_192;

/**
 * A request's body, whole. The pieces are copied together as they come: kept apart, a chunk of one byte would take
 * half a kilobyte.
 * @throws AppError 413 above `limitBytes`, or where it comes in more pieces than an honest sender makes.
 */
export async function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const tooLarge = () =>
    new AppError('payload_too_large', `The request body must be ${limitBytes} bytes or less.`);
  if (Number(request.headers['content-length']) > limitBytes) throw tooLarge();
  const maxPieces = Math.max(maxSmallPieces, Math.ceil(limitBytes / minMeanPieceBytes));
  const tooManyPieces = () =>
    new AppError('payload_too_large', `The request body must come in ${maxPieces} pieces or fewer.`);
  return new Promise((resolve, reject) => {
    let body: Buffer = Buffer.alloc(0);
    let length = 0;
    let pieces = 0;
    const refuse = (error: AppError) => {
      request.off('data', keep);
      reject(error);
    };
    const keep = (piece: Buffer) => {
      pieces += 1;
      if (length + piece.length > limitBytes) return refuse(tooLarge());
      if (pieces > maxPieces) {
        // To throw such pieces away would cost nearly as much as to keep them.
        request.pause();
        return refuse(tooManyPieces());
      }
      if (length + piece.length > body.length) body = grown(body, length + piece.length, limitBytes);
      piece.copy(body, length);
      length += piece.length;
    };
    request.on('data', keep);
    request.on('end', () => resolve(body.subarray(0, length)));
    // An error of the request's stream is a connection that broke.
    request.on('error', (cause) => reject(new RequestAborted({ cause })));
    request.on('close', () => reject(new RequestAborted()));
  });
}

function grown(body: Buffer, atLeast: number, atMost: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(atLeast, Math.min(2 * body.length, atMost)));
  body.copy(larger);
  return larger;
}
