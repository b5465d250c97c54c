export interface TimeoutOptions {
  timeoutMs: number;
  /** Creates the error with which the promise rejects. */
  createError?: () => Error;
}

/**
 * Settles like `work`, or rejects after `timeoutMs`. The work itself continues, and its late outcome is ignored. Work
 * that can be stopped should also get an `AbortSignal.timeout`.
 */
export async function withTimeout<T>(work: Promise<T>, options: TimeoutOptions): Promise<T> {
  const { timeoutMs, createError = () => new Error(`timed out after ${timeoutMs} ms`) } = options;
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(createError()), timeoutMs);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** A sleep that `wake` can end early. */
export interface WakeableSleep {
  /** Waits `ms` milliseconds. `wake` and an aborted signal end the wait early, without an error. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  wake(): void;
}

export function createWakeableSleep(): WakeableSleep {
  let waking = new AbortController();
  return {
    sleep: (ms, signal) => sleep(ms, signal, waking.signal),
    wake() {
      waking.abort();
      waking = new AbortController();
    },
  };
}

/**
 * Waits `ms` milliseconds. An aborted signal ends the wait early, without an error. `AbortSignal.any` is not used,
 * because in Node.js 20 each call of it leaves memory with a signal that lives longer.
 */
export async function sleep(ms: number, ...signals: (AbortSignal | undefined)[]): Promise<void> {
  if (signals.some((signal) => signal?.aborted)) return;
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      for (const signal of signals) signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    for (const signal of signals) signal?.addEventListener('abort', end);
  });
}
