import { type HelperProcess, startHelper } from '../test-bed/helper-process.js';
import type { LoadGeneratorCommands } from './load-generator-main.js';

export type LoadGenerator = HelperProcess<LoadGeneratorCommands>;

/** Starts the load generator in a separate process and connects it to the broker. */
export async function startLoadGenerator(amqpUrl: string): Promise<LoadGenerator> {
  const generator = startHelper<LoadGeneratorCommands>(import.meta.url, './load-generator-main.js');
  await generator.call('connect', { amqpUrl });
  return generator;
}
