import type { SendFailure } from './send-failure.js';

/**
 * Ends one send early: its time is up, the caller gave up, or the sender is closing. The stages of a send follow
 * one another, so there is one listener at a time; an AbortSignal would cost more than the rest of a send's set-up.
 */
export interface Cancellation {
  /** The first cause given, once cancelled. */
  readonly failure: SendFailure | undefined;
  cancel(failure: SendFailure): void;
  /** Replaces the listener; calls it at once where the send is cancelled already. */
  listen(listener: ((failure: SendFailure) => void) | undefined): void;
}

export function createCancellation(): Cancellation {
  let failure: SendFailure | undefined;
  let listener: ((failure: SendFailure) => void) | undefined;
  return {
    get failure() {
      return failure;
    },
    cancel(cause) {
      if (failure !== undefined) return;
      failure = cause;
      listener?.(cause);
    },
    listen(next) {
      listener = next;
      if (failure !== undefined) listener?.(failure);
    },
  };
}
