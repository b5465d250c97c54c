import { ConfigError } from './env.js';
import { createLogger, type Logger } from './logger.js';

export interface RunningService {
  logger: Logger;
  /** Stops the service within the deadline, in milliseconds from now. */
  close(deadlineMs: number): Promise<void>;
}

export interface RunServiceOptions {
  service: string;
  /** Loads the configuration and starts the service. */
  start(): Promise<RunningService>;
  /**
   * Maximum time from the stop request to the exit, in milliseconds. Default: 25,000, because a request of a delivery
   * takes up to 20 s.
   */
  deadlineMs?: number;
}

/**
 * Runs a service until its process ends. The stop requests are SIGTERM, SIGINT and the end of an IPC channel to the
 * parent process. After a stop request, the service closes and the exit code is 0. The exit code is 1 after a second
 * signal, a failed start, a failed stop or an uncaught exception.
 */
export async function runService({ service, start, deadlineMs = 25_000 }: RunServiceOptions): Promise<void> {
  const stopping = new AbortController();
  const stopRequest = waitForStopRequest(stopping);
  const fatal = createLogger({ service, level: 'fatal' });
  process.on('uncaughtException', (err) => {
    fatal.fatal({ err }, 'service.crashed');
    process.exit(1);
  });

  const running = await startOrExit({ start, fatal, signal: stopping.signal });
  running.logger.info({}, 'service.started');
  const reason = await stopRequest;
  running.logger.info({ reason }, 'service.stopping');
  try {
    await running.close(deadlineMs);
  } catch (err) {
    running.logger.error({ err }, 'service.stopped_uncleanly');
    process.exit(1);
  }
  running.logger.info({}, 'service.stopped');
  process.exit(0);
}

/** Resolves with the first stop request, and aborts `stopping`. A signal after that ends the process with code 1. */
function waitForStopRequest(stopping: AbortController): Promise<string> {
  return new Promise((resolve) => {
    const stop = (reason: string) => {
      if (stopping.signal.aborted) process.exit(1);
      stopping.abort();
      resolve(reason);
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
    // Node emits `disconnect` when the IPC channel to the parent process closes, for example because the parent has
    // ended. A process without an IPC channel never gets this event.
    process.once('disconnect', () => stopping.signal.aborted || stop('disconnect'));
  });
}

interface Starting {
  start: RunServiceOptions['start'];
  fatal: Logger;
  signal: AbortSignal;
}

async function startOrExit({ start, fatal, signal }: Starting): Promise<RunningService> {
  try {
    return await start();
  } catch (error) {
    // A stop request can make the start fail. Such a failure is not reported as an error.
    if (signal.aborted) process.exit(0);
    if (error instanceof ConfigError) process.stderr.write(`${error.message}\n`);
    else fatal.fatal({ reason: describe(error) }, 'service.start_failed');
    process.exit(1);
  }
}

/** Returns the messages of the error and of its causes, in one line. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message} (${describe(error.cause)})`;
}
