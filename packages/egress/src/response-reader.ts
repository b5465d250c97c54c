import type { Dispatcher } from 'undici';
import { type BodyNote, bodyNoteOf, exchangeFailureOf, SendFailure } from './send-failure.js';

/** A response before its body is decoded to text. */
export interface RawResponse {
  statusCode: number;
  /** First value of each header that the sender uses. */
  contentType: string | undefined;
  contentEncoding: string | undefined;
  retryAfter: string | undefined;
  location: string | undefined;
  body: Buffer;
  /** The body is longer than `maxBytes`; the rest was not read. */
  isTooLong: boolean;
  bodyNote: BodyNote | undefined;
  /** The whole response was read. */
  isComplete: boolean;
  /** The connection can be used for another request. */
  isReusable: boolean;
}

interface ResponseReaderOptions {
  /** Bytes of the body that are kept. */
  maxBytes: number;
  /** Called when the request is written. Bytes read earlier do not belong to its response. */
  onWriting(): void;
  /** Called when the head or a part of the body has been parsed. */
  onProgress(): void;
}

/**
 * Collects one response from undici. It uses the handler interface with raw headers: the newer interface builds an object
 * of all headers first, and fails if a header is named like a member of Object.prototype.
 */
export class ResponseReader implements Dispatcher.DispatchHandler {
  readonly response: Promise<RawResponse>;
  #resolve!: (response: RawResponse) => void;
  #reject!: (failure: SendFailure) => void;
  #abort: ((error: Error) => void) | undefined;
  #head:
    | Pick<RawResponse, 'statusCode' | 'contentType' | 'contentEncoding' | 'retryAfter' | 'location'>
    | undefined;
  /** The first part of the body, or a buffer that grows. Only the first `#length` bytes are valid. */
  #body: Buffer = Buffer.alloc(0);
  #length = 0;
  #mayBodyFollow = false;
  readonly #maxBytes: number;
  readonly #onWriting: () => void;
  readonly #onProgress: () => void;

  constructor({ maxBytes, onWriting, onProgress }: ResponseReaderOptions) {
    this.#maxBytes = maxBytes;
    this.#onWriting = onWriting;
    this.#onProgress = onProgress;
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** @returns false if the request has not been written yet */
  abort(failure: SendFailure): boolean {
    this.#abort?.(failure);
    return this.#abort !== undefined;
  }

  onConnect(abort: (error?: Error) => void): void {
    this.#abort = abort;
    this.#onWriting();
  }

  onHeaders(statusCode: number, headers: Buffer[]): boolean {
    // Interim responses are removed before the parser, so this is an invalid status. undici would fail with an internal
    // assertion at the bytes after it.
    if (statusCode < 200) {
      this.#abort?.(new SendFailure('invalid_response', 'The response is not valid HTTP/1.1.'));
      return true;
    }
    this.#onProgress();
    this.#head = {
      statusCode,
      contentType: firstValue(headers, 'content-type'),
      contentEncoding: firstValue(headers, 'content-encoding'),
      retryAfter: firstValue(headers, 'retry-after'),
      location: firstValue(headers, 'location', 'utf8'),
    };
    this.#mayBodyFollow = isBodiless(statusCode) && firstValue(headers, 'transfer-encoding') !== undefined;
    return true;
  }

  onData(chunk: Buffer): boolean {
    this.#onProgress();
    const room = this.#maxBytes - this.#length;
    this.#keep(chunk.length > room ? chunk.subarray(0, room) : chunk);
    if (chunk.length <= room) return true;
    this.#finish({ isTooLong: true });
    this.#abort?.(new Error('the rest of the response is not read'));
    return true;
  }

  /**
   * Copies every part but the first, which is usually the only one. A part is a view of everything read with it, so that
   * keeping one byte of body could keep 4 KiB of chunk extensions in memory.
   */
  #keep(part: Buffer): void {
    const length = this.#length + part.length;
    if (this.#length === 0) {
      this.#body = part;
    } else {
      if (length > this.#body.length) this.#body = this.#grown(length);
      part.copy(this.#body, this.#length);
    }
    this.#length = length;
  }

  #grown(atLeast: number): Buffer {
    const size = Math.max(atLeast, Math.min(2 * this.#body.length, this.#maxBytes));
    const grown = Buffer.allocUnsafeSlow(size);
    this.#body.copy(grown, 0, 0, this.#length);
    return grown;
  }

  /**
   * Two kinds of complete responses end the use of a connection:
   * - With trailers: undici ignores a `Connection: close` among them, but its parser does not and rejects the next response.
   * - Status 204 or 304 with `Transfer-Encoding`: a late body would be read as the next response.
   */
  onComplete(trailers: unknown[] | null): void {
    const isReusable = (trailers === null || trailers.length === 0) && !this.#mayBodyFollow;
    this.#finish({ isComplete: true, isReusable });
  }

  onError(error: Error): void {
    if (!this.#head) this.#reject(exchangeFailureOf(error));
    // A 304 may name the length of the body that it leaves out (RFC 9110 §8.6). undici reports that as an error.
    else if (isBodiless(this.#head.statusCode)) this.#finish({ isComplete: true });
    else this.#finish({ bodyNote: bodyNoteOf(error) });
  }

  /** Lists every property: V8 would give each object made by spread syntax its own hidden class, which is slow. */
  #finish(end: {
    isTooLong?: boolean;
    isComplete?: boolean;
    isReusable?: boolean;
    bodyNote?: BodyNote;
  }): void {
    const head = this.#head;
    if (!head) return;
    this.#resolve({
      statusCode: head.statusCode,
      contentType: head.contentType,
      contentEncoding: head.contentEncoding,
      retryAfter: head.retryAfter,
      location: head.location,
      body: this.#body.subarray(0, this.#length),
      isTooLong: end.isTooLong ?? false,
      isComplete: end.isComplete ?? false,
      isReusable: end.isReusable ?? false,
      bodyNote: end.bodyNote,
    });
  }
}

function isBodiless(statusCode: number): boolean {
  return statusCode === 204 || statusCode === 304;
}

function firstValue(
  headers: Buffer[],
  name: string,
  encoding: 'latin1' | 'utf8' = 'latin1',
): string | undefined {
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const key = headers[index];
    if (key?.length === name.length && key.toString('latin1').toLowerCase() === name) {
      return headers[index + 1]?.toString(encoding);
    }
  }
  return undefined;
}
