import type { Dispatcher } from 'undici';
import { bodyNoteOf, exchangeFailureOf } from './failure-of-error.js';
import { SendFailure } from './send-failure.js';
import type { BodyNote } from './send-result.js';

/** A response as it was read, not yet decoded. */
export interface RawResponse {
  statusCode: number;
  /** The first value of each header that the sender looks at. */
  contentType: string | undefined;
  contentEncoding: string | undefined;
  retryAfter: string | undefined;
  body: Buffer;
  /** More than `maxBytes` came; the rest was not read. */
  isTooLong: boolean;
  bodyNote: BodyNote | undefined;
  /** The whole response was read. */
  isComplete: boolean;
  /** It was read to where the next response starts, and nothing in it speaks against another request. */
  isReusable: boolean;
}

interface ResponseReaderOptions {
  /** How much of the body is kept. */
  maxBytes: number;
  /** Called as the request is written: what was read before is no response to it. */
  onWriting(): void;
  /** Called when the head or a piece of the body has come. */
  onProgress(): void;
}

/**
 * Reads one response off undici. It uses the handler of raw header bytes: the newer one parses every header to an
 * object first, and fails at a header named like a member of Object.prototype.
 */
export class ResponseReader implements Dispatcher.DispatchHandler {
  readonly response: Promise<RawResponse>;
  #resolve!: (response: RawResponse) => void;
  #reject!: (failure: SendFailure) => void;
  #abort: ((error: Error) => void) | undefined;
  #head: Pick<RawResponse, 'statusCode' | 'contentType' | 'contentEncoding' | 'retryAfter'> | undefined;
  /** The first piece as it came, or a buffer that grows: of it `#length` bytes count. */
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

  /** @returns false where the request is not on the wire yet, so that there is nothing to abort */
  abort(failure: SendFailure): boolean {
    this.#abort?.(failure);
    return this.#abort !== undefined;
  }

  onConnect(abort: (error?: Error) => void): void {
    this.#abort = abort;
    this.#onWriting();
  }

  onHeaders(statusCode: number, headers: Buffer[]): boolean {
    // None of them ends an exchange, and undici fails at what comes next as if the fault were its own. Interim responses
    // are dropped before they get here.
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
   * All but the first piece, which mostly is the only one, are copied: a piece is a view of all that was read with it, and
   * one byte of body can come with 64 KiB of chunk extensions.
   */
  #keep(piece: Buffer): void {
    const length = this.#length + piece.length;
    if (this.#length === 0) {
      this.#body = piece;
    } else {
      if (length > this.#body.length) this.#body = this.#grown(length);
      piece.copy(this.#body, this.#length);
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
   * After trailers the connection is not used again: a `Connection: close` among them undici overlooks and its parser does
   * not, which would refuse the next response. Nor is it after a head that may have no body and speaks of one all the
   * same: what may follow would be taken for the next response.
   */
  onComplete(trailers: unknown[] | null): void {
    const isReusable = (trailers === null || trailers.length === 0) && !this.#mayBodyFollow;
    this.#finish({ isComplete: true, isReusable });
  }

  onError(error: Error): void {
    if (!this.#head) this.#reject(exchangeFailureOf(error));
    // A 304 tells the length of what it does not bring (RFC 9110 §8.6), which undici takes for a fault; nothing is missing.
    else if (isBodiless(this.#head.statusCode)) this.#finish({ isComplete: true });
    else this.#finish({ bodyNote: bodyNoteOf(error) });
  }

  /** A property for a property: an object spread into another gets a hidden class of its own, at each call. */
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

function firstValue(headers: Buffer[], name: string): string | undefined {
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const key = headers[index];
    if (key?.length === name.length && key.toString('latin1').toLowerCase() === name) {
      return headers[index + 1]?.toString('latin1');
    }
  }
  return undefined;
}
