import type { IncomingMessage } from 'node:http';
import { AppError } from '../app-error.js';
import { RequestAborted } from './request-aborted.js';

export interface BodyReaderOptions {
  /** Of one body. */
  limitBytes: number;
  /** Of all bodies that have not come whole yet. */
  maxHeldBytes?: number;
}

/**
 * Reads a request's body, whole; `owner` is who sends it.
 * @throws AppError 413 above the limit, or where it comes in more pieces than an honest sender makes; 503 where it is the
 *   largest of whoever holds most while too much is held in all. `RequestAborted` where its client has gone.
 */
export type BodyReader = (request: IncomingMessage, owner: string) => Promise<Buffer>;

interface Unfinished {
  owner: string;
  heldBytes: number;
  refuse(error: AppError): void;
}

/** What a piece costs is not its bytes: a mebibyte in chunks of one would take a third of a second. */
const minMeanPieceBytes = 128;
/** So many small ones are taken all the same. */
const maxSmallPieces = 8_192;

/**
 * Nothing makes a client send its body to the end. Where too much is held, the largest of whoever holds most gives way:
 * nobody is refused for what another sends, and with 4,000 connections no body of less than 16 KiB is, such as an alert.
 */
export function createBodyReader(options: BodyReaderOptions): BodyReader {
  const { limitBytes, maxHeldBytes = Math.max(67_108_864, 4 * limitBytes) } = options;
  const unfinished = new Set<Unfinished>();
  const maxPieces = Math.max(maxSmallPieces, Math.ceil(limitBytes / minMeanPieceBytes));
  const tooLarge = () =>
    new AppError('payload_too_large', `The request body must be ${limitBytes} bytes or less.`);
  const tooManyPieces = () =>
    new AppError('payload_too_large', `The request body must come in ${maxPieces} pieces or fewer.`, {
      headers: { Connection: 'close' },
    });
  let heldBytes = 0;

  const hold = (one: Unfinished, bytes: number) => {
    heldBytes += bytes - one.heldBytes;
    one.heldBytes = bytes;
    while (heldBytes > maxHeldBytes) largestOfGreediest(unfinished).refuse(tooMuchHeld());
  };

  return async (request, owner) => {
    // It has said so already, and says no more.
    if (request.destroyed) throw new RequestAborted();
    if (Number(request.headers['content-length']) > limitBytes) throw tooLarge();
    return new Promise((resolve, reject) => {
      // Pieces are copied together as they come: kept apart, a chunk of one byte would take half a kilobyte.
      let body: Buffer = Buffer.alloc(0);
      let length = 0;
      let pieces = 0;
      const one: Unfinished = { owner, heldBytes: 0, refuse: (error) => end(() => reject(error)) };
      const end = (settle: () => void) => {
        request.off('data', keep);
        unfinished.delete(one);
        hold(one, 0);
        settle();
        body = Buffer.alloc(0);
      };
      const keep = (piece: Buffer) => {
        pieces += 1;
        if (length + piece.length > limitBytes) return one.refuse(tooLarge());
        if (pieces > maxPieces) {
          // To throw the rest away would cost nearly as much as to keep it.
          request.pause();
          return one.refuse(tooManyPieces());
        }
        if (length + piece.length > body.length) body = grown(body, length + piece.length, limitBytes);
        piece.copy(body, length);
        length += piece.length;
        hold(one, body.length);
      };
      unfinished.add(one);
      request.on('data', keep);
      request.on('end', () => end(() => resolve(body.subarray(0, length))));
      // An error of the request's stream is a connection that broke.
      request.on('error', (cause) => end(() => reject(new RequestAborted({ cause }))));
      request.on('close', () => end(() => reject(new RequestAborted())));
    });
  };
}

function largestOfGreediest(bodies: Iterable<Unfinished>): Unfinished {
  const heldBy = new Map<string, number>();
  for (const { owner, heldBytes } of bodies) heldBy.set(owner, (heldBy.get(owner) ?? 0) + heldBytes);
  const [greediest] = [...heldBy].reduce((most, other) => (other[1] > most[1] ? other : most));
  const theirs = [...bodies].filter(({ owner }) => owner === greediest);
  return theirs.reduce((largest, body) => (body.heldBytes > largest.heldBytes ? body : largest));
}

function grown(body: Buffer, atLeast: number, atMost: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(atLeast, Math.min(2 * body.length, atMost)));
  body.copy(larger);
  return larger;
}

function tooMuchHeld(): AppError {
  return new AppError('unavailable', 'Too much is being sent at a time; try again.', {
    retryAfterSeconds: 2,
  });
}
