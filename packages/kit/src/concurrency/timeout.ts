export interface TimeoutOptions {
  timeoutMs: number;
  /** Makes the error of the rejection. */
  createError?: () => Error;
}

/**
 * Settles like `work`, or rejects after `timeoutMs`. It does not stop the work, whose late outcome is ignored; work
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

/** Waits. An aborted signal ends the wait early, without an error. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return;
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
}
