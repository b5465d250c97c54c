/** Load generator. It publishes the alerts of one or more runs at the same time, over AMQP or REST. */

import { serveCommands } from '../test-bed/helper-process.js';
import { type AlertPublisher, openAmqpPublisher } from './amqp-publisher.js';
import {
  type AcceptanceDelay,
  type LoadProgress,
  type LoadResult,
  type LoadRun,
  type LoadRunOptions,
  startLoadRun,
} from './load-run.js';
import { publishOverRest, type RestLoadOptions, type RestLoadResult } from './rest-load.js';

const runs = new Map<number, LoadRun>();
let amqp: AlertPublisher | undefined;

const commands = {
  async connect({ amqpUrl }: { amqpUrl: string }): Promise<void> {
    amqp = await openAmqpPublisher(amqpUrl);
  },
  start(options: LoadRunOptions): void {
    if (amqp === undefined) throw new Error('Call connect first.');
    runs.set(options.run, startLoadRun(options, amqp));
  },
  progress: (run: number): LoadProgress => runOf(run).progress(),
  countDelayed: ({ run, ...delay }: AcceptanceDelay & { run: number }): number =>
    runOf(run).countDelayed(delay),
  /**
   * Stops publishing new alerts. Unconfirmed alerts are still retried: over REST until `end` is called, over AMQP until
   * they are confirmed.
   */
  stop: (run: number): void => runOf(run).stop(),
  async end(run: number): Promise<LoadResult> {
    const result = await runOf(run).end();
    runs.delete(run);
    return result;
  },
  /** Publishes all alerts of a run. Resolves with the result of the run when the last alert is confirmed. */
  async publishAll(options: LoadRunOptions): Promise<LoadResult> {
    commands.start(options);
    await runOf(options.run).finished;
    return commands.end(options.run);
  },
  publishOverRest: (options: RestLoadOptions): Promise<RestLoadResult> => publishOverRest(options),
};
export type LoadGeneratorCommands = typeof commands;

function runOf(run: number): LoadRun {
  const found = runs.get(run);
  if (found === undefined) throw new Error(`Run ${run} has not been started.`);
  return found;
}

serveCommands(commands);
