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

/**
 * The sends of one AbortSignal, with one listener for all of them: a signal is shared by everything that a worker
 * sends, and listening for each would cost a walk through the others (and a warning of a leak).
 */
export function createAbortGroups(failureOf: () => SendFailure): (signal: AbortSignal) => Set<Cancellation> {
  const groups = new WeakMap<AbortSignal, Set<Cancellation>>();
  return (signal) => {
    const known = groups.get(signal);
    if (known) return known;
    const group = new Set<Cancellation>();
    groups.set(signal, group);
    signal.addEventListener('abort', () => {
      for (const cancellation of group) cancellation.cancel(failureOf());
    });
    return group;
  };
}
