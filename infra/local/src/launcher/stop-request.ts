export interface StopRequestOptions {
  env: NodeJS.ProcessEnv;
  /** Asked again, in earnest, while stopping: the process exits when this is done. */
  onSecondRequest: () => Promise<void>;
}

const parentCheckMs = 1_000;
const exitCodeForced = 130;
// One Ctrl-C arrives twice: from the terminal, and once more from npm, which passes it on.
const echoMs = 1_000;

/**
 * Resolves with the reason when a signal asks to stop, or when the npm that ran us is gone (killed hard, it cannot pass
 * a signal on, and nobody would be left to stop us).
 */
export function untilAskedToStop({ env, onSecondRequest }: StopRequestOptions): Promise<string> {
  return new Promise((resolve) => {
    let askedAt: number | undefined;
    const ask = (reason: string) => {
      if (askedAt === undefined) {
        askedAt = Date.now();
        resolve(reason);
      } else if (Date.now() - askedAt > echoMs) {
        void onSecondRequest().finally(() => process.exit(exitCodeForced));
      }
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ask(signal));
    if (env.npm_lifecycle_event === undefined) return;
    const parent = process.ppid;
    const timer = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(timer);
      ask('npm is gone');
    }, parentCheckMs);
  });
}
