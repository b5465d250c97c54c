import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { limitBytesRead } from './limit-bytes-read.js';
import type { OpenSocket } from './open-socket.js';
import { SendFailure } from './send-failure.js';
import { createStatusLineGuard } from './status-line-guard.js';

export interface GuardedSocket {
  /** The stream that undici reads and writes instead of the socket. */
  stream: Duplex;
  /** Restarts the limits for a new request. At most `maxBodyBytes` of its response body are kept. */
  startRequest(maxBodyBytes: number): void;
  /** Must be called when the request is written. */
  expectResponse(): void;
  /** Must be called when the head or a part of the body of a response has been parsed. */
  noteProgress(): void;
  stop(): void;
}

/**
 * Maximum number of bytes that the parser gets at a time. The number of lines is checked before each chunk, so a small
 * chunk limits the number of lines that are parsed before the next check.
 */
const chunkBytes = 4096;

/**
 * Maximum number of lines between two signs of progress (a complete head, or a part of the body). The limit on bytes is
 * not sufficient for headers: undici keeps two objects for each header, so 32 KiB of `X:` lines take 7 MiB of memory
 * until the timeout. Real servers send far fewer lines: Python's http.client, for example, accepts only 100 headers.
 */
const maxLinesWithoutProgress = 500;

const lineFeed = 0x0a;

/**
 * Creates a stream between the socket and undici that enforces the limits on the bytes from a destination: the total of
 * each response (head, body, chunk extensions, trailers, interim responses and TLS), and the number of lines without
 * progress. It also rejects a response that does not start with an HTTP/1.0 or HTTP/1.1 status line.
 * @param onViolation must abort the request; it can be called several times until the stream is destroyed
 */
export function createGuardedSocket(
  { socket, wire }: OpenSocket,
  onViolation: (failure: SendFailure) => void,
): GuardedSocket {
  const byteLimit = limitBytesRead(wire, maxWireBytes(0), () => onViolation(tooMuch()));
  const statusLine = createStatusLineGuard();
  let lines = 0;
  let isChunkWanted = false;

  const stream = new Duplex({
    // The value 0 means no read-ahead: the lines of a chunk are counted only after the parser has processed the
    // previous chunk and reported progress.
    readableHighWaterMark: 0,
    read: readChunk,
    decodeStrings: false,
    writev: (chunks, callback) => writeTogether(socket, chunks, callback),
    destroy(error, callback) {
      socket.destroy();
      callback(error);
    },
  });
  socket
    .on('readable', () => {
      if (isChunkWanted) readChunk();
    })
    .once('end', () => stream.push(null))
    .on('error', (error) => stream.destroy(error))
    .once('close', () => stream.destroy());

  function readChunk(): void {
    for (;;) {
      byteLimit.check();
      if (lines > maxLinesWithoutProgress) onViolation(tooMuch());
      if (stream.destroyed || socket.destroyed) return;
      // `read(n)` returns null if fewer than n bytes are available, so at most the available length is requested.
      const chunk: Buffer | null = socket.read(Math.min(socket.readableLength, chunkBytes) || undefined);
      isChunkWanted = chunk === null;
      if (chunk === null) return;
      lines += countLines(chunk);
      const bytes = filter(chunk);
      if (bytes.length === 0) continue;
      stream.push(bytes);
      return;
    }
  }

  function filter(chunk: Buffer): Buffer {
    try {
      return statusLine.filter(chunk);
    } catch (failure) {
      onViolation(failure as SendFailure);
      return Buffer.alloc(0);
    }
  }

  return {
    stream,
    startRequest(maxBodyBytes) {
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
 * Returns the maximum number of bytes of one response on the wire: 1 MiB if 64 KiB of the body are kept. Eight bytes
 * for each byte of content are enough even for a body in chunks of one byte, which needs six. The additional 512 KiB
 * are for the head and TLS.
 */
function maxWireBytes(maxBodyBytes: number): number {
  return 8 * maxBodyBytes + 524_288;
}

function tooMuch(): SendFailure {
  return new SendFailure('invalid_response', 'The destination sends more than a response may have.');
}

/** Counts line feeds. It stops above the limit, because a body can consist of line feeds only. */
function countLines(chunk: Buffer): number {
  let lines = 0;
  for (let at = chunk.indexOf(lineFeed); at !== -1 && lines <= maxLinesWithoutProgress; lines += 1) {
    at = chunk.indexOf(lineFeed, at + 1);
  }
  return lines;
}

interface Chunk {
  chunk: Buffer | string;
  encoding: BufferEncoding;
}

/** Writes head and body of a request together, so that a small request is sent in one packet. */
function writeTogether(socket: Socket, chunks: Chunk[], callback: (error?: Error | null) => void): void {
  socket.cork();
  const last = chunks.pop();
  for (const { chunk, encoding } of chunks) socket.write(chunk, encoding);
  if (last) socket.write(last.chunk, last.encoding, callback);
  socket.uncork();
}
