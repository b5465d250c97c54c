/**
 * Progress output during the start of the stack. Each step, for example the start of a service, prints a line when it
 * begins, a reminder every 5 s, and a line when it is complete or has failed.
 */
export interface Progress {
  say(message: string): void;
  /** Runs a start function and prints its duration. */
  track<T>(part: string, start: () => Promise<T>): Promise<T>;
}

const remindEveryMs = 5_000;

export function createProgress(write: (line: string) => void, now: () => number = Date.now): Progress {
  const secondsSince = (from: number) => `${((now() - from) / 1000).toFixed(1)} s`;
  return {
    say: write,
    async track(part, start) {
      const from = now();
      write(`  … ${part}`);
      const reminder = setInterval(() => write(`  … ${part} (${secondsSince(from)})`), remindEveryMs);
      try {
        const result = await start();
        write(`  ✓ ${part} (${secondsSince(from)})`);
        return result;
      } catch (error) {
        write(`  ✗ ${part} (${secondsSince(from)})`);
        throw error;
      } finally {
        clearInterval(reminder);
      }
    },
  };
}
