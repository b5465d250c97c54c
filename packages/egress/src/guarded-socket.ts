import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { limitBytesRead } from './limit-bytes-read.js';
import type { OpenSocket } from './open-socket.js';
import { SendFailure } from './send-failure.js';
import { createStatusLineGuard } from './status-line-guard.js';

export interface GuardedSocket {
  /** Reads and writes the socket; undici uses it in the socket's place. */
  stream: Duplex;
  /** Starts the limits of a new exchange, which keeps at most `maxBodyBytes` of the response's body. */
  startExchange(maxBodyBytes: number): void;
  /** Called when the request is written. */
  expectResponse(): void;
  /** Called when a response's head, or a part of its body, has been parsed. */
  noteProgress(): void;
  stop(): void;
}

/** The parser gets this many bytes at a time, so that few header lines are parsed before they are counted. */
const pieceBytes = 4096;

/**
 * Most lines between two signs of progress (a complete head, a part of the body). The byte limit does not cover this
 * case: undici keeps two objects for each header, and 32 KiB of `X:` lines took 7 MiB of memory until the time-out.
 * Python's http.client accepts 100 headers, so real servers stay far below.
 */
const maxLinesWithoutProgress = 500;

const lineFeed = 0x0a;

/**
 * A stream between the socket and undici that holds every limit on what a destination may send: bytes for each response
 * (head, body, chunk extensions, trailers, interim responses and TLS), lines without progress, and a valid start.
 * @param onViolation ends the exchange; it may be called again until the stream is destroyed
 */
export function createGuardedSocket(
  { socket, wire }: OpenSocket,
  onViolation: (failure: SendFailure) => void,
): GuardedSocket {
  const byteLimit = limitBytesRead(wire, maxWireBytes(0), () => onViolation(tooMuch()));
  const statusLine = createStatusLineGuard();
  let lines = 0;
  let isPieceWanted = false;

  const stream = new Duplex({
    // Without read-ahead a piece has been parsed, and its progress noted, before the next one is counted.
    readableHighWaterMark: 0,
    read: readPiece,
    decodeStrings: false,
    writev: (chunks, callback) => writeTogether(socket, chunks, callback),
    destroy(error, callback) {
      socket.destroy();
      callback(error);
    },
  });
  socket
    .on('readable', () => {
      if (isPieceWanted) readPiece();
    })
    .once('end', () => stream.push(null))
    .on('error', (error) => stream.destroy(error))
    .once('close', () => stream.destroy());

  function readPiece(): void {
    for (;;) {
      byteLimit.check();
      if (lines > maxLinesWithoutProgress) onViolation(tooMuch());
      if (stream.destroyed || socket.destroyed) return;
      // Asking for more bytes than there are would wait for them.
      const piece: Buffer | null = socket.read(Math.min(socket.readableLength, pieceBytes) || undefined);
      isPieceWanted = piece === null;
      if (piece === null) return;
      lines += countLines(piece);
      const bytes = filter(piece);
      if (bytes.length === 0) continue;
      stream.push(bytes);
      return;
    }
  }

  function filter(piece: Buffer): Buffer {
    try {
      return statusLine.filter(piece);
    } catch (failure) {
      onViolation(failure as SendFailure);
      return Buffer.alloc(0);
    }
  }

  return {
    stream,
    startExchange(maxBodyBytes) {
      byteLimit.restart(maxWireBytes(maxBodyBytes));
      lines = 0;
    },
    expectResponse: statusLine.expectResponse,
    noteProgress() {
      lines = 0;
    },
    stop: byteLimit.stop,
  };
}

/**
 * Bytes that one response may take on the wire: 1 MiB if 64 KiB of body are kept. A body in chunks of one byte takes six
 * bytes for each; the extra 512 KiB are for the head and TLS.
 */
function maxWireBytes(maxBodyBytes: number): number {
  return 8 * maxBodyBytes + 524_288;
}

function tooMuch(): SendFailure {
  return new SendFailure('invalid_response', 'The destination sends more than a response may have.');
}

/** Stops counting above the limit: a body may consist of line feeds. */
function countLines(piece: Buffer): number {
  let lines = 0;
  for (let at = piece.indexOf(lineFeed); at !== -1 && lines <= maxLinesWithoutProgress; lines += 1) {
    at = piece.indexOf(lineFeed, at + 1);
  }
  return lines;
}

interface Chunk {
  chunk: Buffer | string;
  encoding: BufferEncoding;
}

/** Head and body of a request leave in one packet. */
function writeTogether(socket: Socket, chunks: Chunk[], callback: (error?: Error | null) => void): void {
  socket.cork();
  const last = chunks.pop();
  for (const { chunk, encoding } of chunks) socket.write(chunk, encoding);
  if (last) socket.write(last.chunk, last.encoding, callback);
  socket.uncork();
}
