export interface StopRequestOptions {
  env: NodeJS.ProcessEnv;
  /** Called for a second stop request. The process exits when the returned promise settles. */
  onSecondRequest: () => Promise<void>;
}

const parentCheckMs = 1_000;
const exitCodeForced = 130;
// Time after a stop signal in which further signals are ignored, in milliseconds. One Ctrl-C sends two signals: one
// from the terminal, and one that npm forwards.
const echoMs = 1_000;

/**
 * Resolves with the reason when a stop signal arrives, or when the parent npm process has exited. The exit of npm
 * counts as a stop request, because a killed npm forwards no signal.
 */
export function untilAskedToStop({ env, onSecondRequest }: StopRequestOptions): Promise<string> {
  return new Promise((resolve) => {
    let askedAtMs: number | undefined;
    const ask = (reason: string) => {
      if (askedAtMs === undefined) {
        askedAtMs = Date.now();
        resolve(reason);
      } else if (Date.now() - askedAtMs > echoMs) {
        void onSecondRequest().finally(() => process.exit(exitCodeForced));
      }
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ask(signal));
    if (env.npm_lifecycle_event === undefined) return;
    const parent = process.ppid;
    const timer = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(timer);
      ask('npm has exited');
    }, parentCheckMs);
  });
}
