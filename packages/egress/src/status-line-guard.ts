import { SendFailure } from './send-failure.js';

export interface StatusLineGuard {
  /** Must be called when a request is written. The next bytes must then start a response. */
  expectResponse(): void;
  /**
   * Returns the bytes to pass to the HTTP parser, which can be none. The start of a status line is buffered until it
   * shows if the response is interim. While the head of an interim response is incomplete, its last three bytes are
   * buffered, because they can be the start of `\r\n\r\n`, which ends the head.
   * @throws SendFailure if a response is expected, and the bytes do not start an HTTP/1.0 or HTTP/1.1 response
   */
  filter(bytes: Buffer): Buffer;
}

const noBytes = Buffer.alloc(0);
const httpStart = /^HTTP\/1\.[01] /;
/**
 * Matches the status line of an interim response, except 101 (Switching Protocols), which would end HTTP on the
 * connection. The parser reports a 101 as an error.
 */
const interimStart = /^HTTP\/1\.[01] 1(?!01)\d\d[ \r]/;
const exampleStart = 'HTTP/1.1 100\r';
const endOfHead = '\r\n\r\n';

/**
 * Corrects two behaviours of undici's parser:
 * - The parser accepts RTSP, ICE, HTTP/0.9 and HTTP/2.0 status lines and does not report the protocol. Such status
 *   lines are rejected here.
 * - The parser fails a request at `100 Continue`. RFC 9110 §15.2 requires clients to accept interim responses, so
 *   they are removed here, together with empty lines before a status line.
 *
 * Bytes after the start of a response are passed to the parser unchanged. Bytes that arrive while no response is
 * expected are also passed unchanged, and make the parser close the connection.
 */
export function createStatusLineGuard(): StatusLineGuard {
  let isStartExpected = false;
  let isInInterimHead = false;
  let incomplete: Buffer = noBytes;

  function keepBack(bytes: Buffer): Buffer {
    incomplete = bytes;
    return noBytes;
  }

  return {
    expectResponse() {
      isStartExpected = true;
    },
    filter(bytes) {
      if (!isStartExpected) return bytes;
      let rest = incomplete.length > 0 ? Buffer.concat([incomplete, bytes]) : bytes;
      incomplete = noBytes;
      for (;;) {
        if (isInInterimHead) {
          const end = rest.indexOf(endOfHead);
          if (end === -1) return keepBack(rest.subarray(1 - endOfHead.length));
          rest = rest.subarray(end + endOfHead.length);
          isInInterimHead = false;
        }
        rest = withoutEmptyLines(rest);
        const start = completedStart(rest);
        if (!httpStart.test(start)) {
          throw new SendFailure('invalid_response', 'The response is not valid HTTP/1.1.');
        }
        if (!interimStart.test(start)) {
          isStartExpected = false;
          return rest;
        }
        if (rest.length < exampleStart.length) return keepBack(rest);
        isInInterimHead = true;
      }
    },
  };
}

/**
 * Returns the first characters of a response. Characters that have not arrived yet are taken from an example of an
 * interim status line. A start that can still become an interim response therefore matches `interimStart`, and is
 * buffered until more bytes arrive.
 */
function completedStart(bytes: Buffer): string {
  const start = bytes.toString('latin1', 0, exampleStart.length);
  return start + exampleStart.slice(start.length);
}

/** Removes empty lines before a status line. The parser accepts any number of them too, with either line ending. */
function withoutEmptyLines(bytes: Buffer): Buffer {
  const start = bytes.findIndex((byte) => byte !== 0x0a && byte !== 0x0d);
  return start === -1 ? noBytes : bytes.subarray(start);
}
