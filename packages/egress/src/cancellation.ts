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
  return new OneCancellation();
}

/** A class, so that a send costs no closures. */
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
