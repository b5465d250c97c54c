import { waitFor } from '../measure/wait-for.js';
import { type HelperProcess, startHelper } from '../test-bed/helper-process.js';
import type { DestinationCommands } from './destination-main.js';

export interface Destination extends HelperProcess<DestinationCommands> {
  readonly origin: string;
  /** Returns the URL of the webhook with this number, 0 to 99. */
  urlOf(webhook: number): string;
  /** Returns the URLs of the first `count` webhooks. */
  urls(count: number): string[];
}

/** Starts the destination in a separate process on a free port of 127.0.0.1. */
export async function startDestination(): Promise<Destination> {
  const helper = startHelper<DestinationCommands>(import.meta.url, './destination-main.js');
  const { port } = await helper.call('listen', undefined);
  const origin = `http://127.0.0.1:${port}`;
  const urlOf = (webhook: number) => `${origin}/hook/${webhook}`;
  return {
    ...helper,
    origin,
    urlOf,
    urls: (count) => Array.from({ length: count }, (_, index) => urlOf(index)),
  };
}

/**
 * Waits until `deliveries` different deliveries have arrived.
 * @throws Error if no further delivery arrives for 30 seconds
 */
export async function waitForArrivals(destination: Destination, deliveries: number): Promise<void> {
  await waitFor({
    description: `of ${deliveries} deliveries arrived`,
    count: async () => (await destination.call('progress', undefined)).distinct,
    isReached: (distinct) => distinct >= deliveries,
    intervalMs: 10,
  });
}
