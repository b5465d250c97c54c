export interface StopRequestOptions {
  env: NodeJS.ProcessEnv;
  /** Asked again while stopping: the process exits when this is done. */
  onSecondRequest: () => Promise<void>;
}

const PARENT_CHECK_MS = 1_000;
const EXIT_CODE_FORCED = 130;

/**
 * Resolves with the reason when a signal asks to stop, or when the npm that ran us is gone (killed hard, it cannot pass
 * a signal on, and nobody would be left to stop us).
 */
export function untilAskedToStop({ env, onSecondRequest }: StopRequestOptions): Promise<string> {
  return new Promise((resolve) => {
    let asked = false;
    const ask = (reason: string) => {
      if (asked) {
        void onSecondRequest().finally(() => process.exit(EXIT_CODE_FORCED));
        return;
      }
      asked = true;
      resolve(reason);
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ask(signal));
    if (env.npm_lifecycle_event === undefined) return;
    const parent = process.ppid;
    const timer = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(timer);
      ask('npm is gone');
    }, PARENT_CHECK_MS);
  });
}
