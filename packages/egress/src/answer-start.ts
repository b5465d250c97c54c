import type { Socket } from 'node:net';
import { SendFailure } from './send-failure.js';

const httpStart = /^HTTP\/1\.[01] /;
/** 101 is none: it would end HTTP on the connection. */
const interimStart = /^HTTP\/1\.[01] 1(?!01)\d\d[ \r]/;
const exampleStart = 'HTTP/1.1 100\r';
const endOfHead = '\r\n\r\n';
const maxInterimAnswers = 10;

/**
 * Judges how each answer starts, before undici reads it. Only HTTP/1.0 and HTTP/1.1 go on: its parser takes RTSP, ICE,
 * HTTP/0.9 and HTTP/2.0 too, and does not tell. Interim answers (100 Continue, 103 Early Hints), which nobody asked for,
 * are dropped, as RFC 9110 §15.2 lets a client: undici fails the request at a 100. So are empty lines before a start.
 * Of what comes in pieces no more is held than is needed to tell.
 * @param onRefused what is read is to end here, with this failure
 * @returns what to call as a request is written: an answer's start is due from there on
 */
export function watchAnswerStart(socket: Socket, onRefused: (failure: SendFailure) => void): () => void {
  const read = socket.read.bind(socket);
  let isStartDue = false;
  let isWithinInterim = false;
  let interimAnswers = 0;
  let held: Buffer = Buffer.alloc(0);

  function hold(bytes: Buffer): null {
    held = bytes;
    return null;
  }

  function refuse(sentence: string): null {
    onRefused(new SendFailure('invalid_response', sentence));
    return null;
  }

  /** What of `bytes` is for undici to read. */
  function judge(bytes: Buffer): Buffer | null {
    let rest = bytes;
    for (;;) {
      if (isWithinInterim) {
        const end = rest.indexOf(endOfHead);
        if (end === -1) return hold(rest.subarray(1 - endOfHead.length));
        rest = rest.subarray(end + endOfHead.length);
        isWithinInterim = false;
      }
      rest = withoutEmptyLines(rest);
      const start = toStart(rest);
      if (!httpStart.test(start)) return refuse('The response is not valid HTTP/1.1.');
      if (!interimStart.test(start)) {
        isStartDue = false;
        return rest;
      }
      if (rest.length < exampleStart.length) return hold(rest);
      interimAnswers += 1;
      if (interimAnswers > maxInterimAnswers) {
        return refuse('The destination sends interim responses without end.');
      }
      isWithinInterim = true;
    }
  }

  socket.read = () => {
    for (;;) {
      const chunk: Buffer | null = read();
      if (!isStartDue || chunk === null) return chunk;
      const bytes = held.length > 0 ? Buffer.concat([held, chunk]) : chunk;
      held = Buffer.alloc(0);
      const judged = judge(bytes);
      // Of null a reader takes it that all was read.
      if (judged !== null) return judged;
    }
  };

  return () => {
    isStartDue = true;
    interimAnswers = 0;
  };
}

/** A start that is too short to tell is taken for the interim answer's that it may become. */
function toStart(bytes: Buffer): string {
  const start = bytes.toString('latin1', 0, exampleStart.length);
  return start + exampleStart.slice(start.length);
}

/** As the parser does, which takes any number of them, of either kind of line ending. */
function withoutEmptyLines(bytes: Buffer): Buffer {
  const start = bytes.findIndex((byte) => byte !== 0x0a && byte !== 0x0d);
  return start === -1 ? bytes.subarray(bytes.length) : bytes.subarray(start);
}
