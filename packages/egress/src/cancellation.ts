import type { SendFailure } from './send-failure.js';

/**
 * Cancels one send: after a timeout, when its caller aborts it, or when the sender closes. There is only one listener
 * at a time: each stage of the send (connecting, request) replaces the listener of the previous stage. An AbortSignal
 * is not used, because creating one for each send would take longer than the rest of the preparation of the send.
 */
export interface Cancellation {
  /** Reason for the cancellation: the argument of the first call of `cancel`. Undefined before this call. */
  readonly failure: SendFailure | undefined;
  cancel(failure: SendFailure): void;
  /** Replaces the listener. The listener is called at once if the send is already cancelled. */
  listen(listener: ((failure: SendFailure) => void) | undefined): void;
}

export function createCancellation(): Cancellation {
  return new OneCancellation();
}

/** A class instead of closures, so that each send allocates only one object. */
class OneCancellation implements Cancellation {
  failure: SendFailure | undefined;
  #listener: ((failure: SendFailure) => void) | undefined;

  cancel(failure: SendFailure): void {
    if (this.failure !== undefined) return;
    this.failure = failure;
    this.#listener?.(failure);
  }

  listen(listener: ((failure: SendFailure) => void) | undefined): void {
    this.#listener = listener;
    if (this.failure !== undefined) listener?.(this.failure);
  }
}
