import { runBacklogMeter } from './dispatch/backlog-meter.js';
import { type DispatcherDeps, runDispatcher } from './dispatch/dispatcher.js';
import {
  type HousekeeperDeps,
  keepPartitions,
  keepRetention,
  runRedeliveries,
} from './housekeeping/housekeeper.js';

/** What a worker does by itself, over and over. Ends when the signal is aborted. */
export async function runLoops(deps: DispatcherDeps & HousekeeperDeps): Promise<void> {
  await Promise.all([
    runDispatcher(deps),
    runBacklogMeter(deps),
    keepPartitions(deps),
    keepRetention(deps),
    runRedeliveries(deps),
  ]);
}
