import { type Helper, startHelper } from '../test-bed/helper-process.js';
import type { LoadCommands } from './load-main.js';

export type Load = Helper<LoadCommands>;

/** Starts the publisher as a process of its own, connected to the broker. */
export async function startLoad(amqpUrl: string): Promise<Load> {
  const load = startHelper<LoadCommands>(import.meta.url, './load-main.js');
  await load.call('connect', { amqpUrl });
  return load;
}
