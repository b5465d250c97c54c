import type { Dispatcher } from 'undici';
import { type BodyNote, bodyNoteOf, requestFailureOf, SendFailure } from './send-failure.js';

/** A response before its body is decoded to text. */
export interface RawResponse {
  statusCode: number;
  /**
   * First value of the header `Content-Type`; undefined if the header is missing. The next three properties contain the
   * headers `Content-Encoding`, `Retry-After` and `Location` in the same way.
   */
  contentType: string | undefined;
  contentEncoding: string | undefined;
  retryAfter: string | undefined;
  location: string | undefined;
  body: Buffer;
  /** True if the body is longer than the limit of the reader (`maxBytes`). The rest was not read. */
  isTooLong: boolean;
  bodyNote: BodyNote | undefined;
  /** True if the whole response was read. */
  isComplete: boolean;
  /** True if the connection can be used for another request. */
  isReusable: boolean;
}

interface ResponseReaderOptions {
  /** Maximum number of bytes of the body that are kept. */
  maxBytes: number;
  /** Called when the request is written. Bytes that were received before this call do not belong to the response. */
  onWriting(): void;
  /** Called when the head or a part of the body has been parsed. */
  onProgress(): void;
}

/**
 * Collects one response from undici through the handler interface with raw headers. The newer handler interface builds
 * an object of all headers first, and fails for a header that is named like a member of Object.prototype.
 */
export class ResponseReader implements Dispatcher.DispatchHandler {
  readonly response: Promise<RawResponse>;
  #resolve!: (response: RawResponse) => void;
  #reject!: (failure: SendFailure) => void;
  #abort: ((error: Error) => void) | undefined;
  #head:
    | Pick<RawResponse, 'statusCode' | 'contentType' | 'contentEncoding' | 'retryAfter' | 'location'>
    | undefined;
  /**
   * The received body. If it has only one part, this part is not copied. When further parts arrive, all parts are
   * copied into a buffer, which is replaced by a larger one when it is full. Only the first `#length` bytes are valid.
   */
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

  /**
   * Aborts a request that has been written.
   * @returns false, and does nothing, if the request has not been written yet
   */
  abort(failure: SendFailure): boolean {
    this.#abort?.(failure);
    return this.#abort !== undefined;
  }

  onConnect(abort: (error?: Error) => void): void {
    this.#abort = abort;
    this.#onWriting();
  }

  onHeaders(statusCode: number, headers: Buffer[]): boolean {
    // The status line guard removes interim responses, so a status below 200 is invalid. Without the abort, undici
    // fails with an internal assertion at the next bytes.
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
    const left = this.#maxBytes - this.#length;
    this.#keep(chunk.length > left ? chunk.subarray(0, left) : chunk);
    if (chunk.length <= left) return true;
    this.#finish({ isTooLong: true });
    this.#abort?.(new Error('the rest of the response is not read'));
    return true;
  }

  /**
   * Stores a part of the body. The first part, which is usually the only one, is not copied. Later parts are copied,
   * because a reference to a part prevents the release of the whole buffer that was read from the socket. One byte of
   * body would keep up to 4 KiB of chunk extensions in memory.
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
   * Resolves `response`. The connection is not reused after two kinds of complete responses:
   * - With trailers: undici ignores a `Connection: close` among them, but its parser applies it and rejects the next
   *   response.
   * - Status 204 or 304 with `Transfer-Encoding`: a late body would be read as the next response.
   */
  onComplete(trailers: unknown[] | null): void {
    const isReusable = (trailers === null || trailers.length === 0) && !this.#mayBodyFollow;
    this.#finish({ isComplete: true, isReusable });
  }

  onError(error: Error): void {
    if (!this.#head) this.#reject(requestFailureOf(error));
    // A 304 can have a `Content-Length` although it has no body (RFC 9110 §8.6). undici reports this as an error.
    else if (isBodiless(this.#head.statusCode)) this.#finish({ isComplete: true });
    else this.#finish({ bodyNote: bodyNoteOf(error) });
  }

  /**
   * Resolves `response`. All properties are listed, because V8 gives each object from spread syntax its own hidden
   * class, and this is slow.
   */
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
