import { ConfigError } from './env.js';
import { createLogger, type Logger } from './logger.js';

export interface RunningService {
  logger: Logger;
  /** Stops: last opened, first closed, within the deadline. */
  close(deadlineMs: number): Promise<void>;
}

export interface RunServiceOptions {
  service: string;
  /** Loads the configuration and starts; `signal` is aborted when the service is told to stop. */
  start(signal: AbortSignal): Promise<RunningService>;
  /** From the first signal to the exit; 20 s unless given. */
  deadlineMs?: number;
}

/**
 * The life of a service's process. SIGTERM, SIGINT, or the end of the process that started it over an IPC channel
 * stops it, exit code 0; a second signal ends it at once, exit code 1, as does a start or a stop that fails.
 */
export async function runService({ service, start, deadlineMs = 20_000 }: RunServiceOptions): Promise<void> {
  const stopping = new AbortController();
  const stopRequested = new Promise<string>((resolve) => onStopRequest(stopping, resolve));
  const fatal = createLogger({ service, level: 'fatal' });
  process.on('uncaughtException', (err) => {
    fatal.fatal({ err }, 'service.crashed');
    process.exit(1);
  });

  const running = await startOrExit({ start, fatal, signal: stopping.signal });
  running.logger.info({}, 'service.started');
  const reason = await stopRequested;
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

function onStopRequest(stopping: AbortController, resolve: (reason: string) => void): void {
  const stop = (reason: string) => {
    if (stopping.signal.aborted) process.exit(1);
    stopping.abort();
    resolve(reason);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // Fires only where we were started with an IPC channel: our launcher is gone, and we do not outlive it.
  process.once('disconnect', () => stopping.signal.aborted || stop('disconnect'));
}

interface Starting {
  start: RunServiceOptions['start'];
  fatal: Logger;
  signal: AbortSignal;
}

async function startOrExit({ start, fatal, signal }: Starting): Promise<RunningService> {
  try {
    return await start(signal);
  } catch (error) {
    // Told to stop while starting: what was asked for has happened.
    if (signal.aborted) process.exit(0);
    if (error instanceof ConfigError) process.stderr.write(`${error.message}\n`);
    else fatal.fatal({ reason: explain(error) }, 'service.start_failed');
    process.exit(1);
  }
}

/** One line: the message and those of its causes. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message} (${explain(error.cause)})`;
}
