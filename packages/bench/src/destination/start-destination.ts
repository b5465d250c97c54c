import { type Helper, startHelper } from '../test-bed/helper-process.js';
import type { DestinationCommands } from './destination-main.js';

export interface Destination extends Helper<DestinationCommands> {
  readonly origin: string;
  urlOf(webhook: number): string;
}

/** Starts the destination as a process of its own, on a free port of 127.0.0.1. */
export async function startDestination(): Promise<Destination> {
  const helper = startHelper<DestinationCommands>(import.meta.url, './destination-main.js');
  const { port } = await helper.call('listen', undefined);
  const origin = `http://127.0.0.1:${port}`;
  return { ...helper, origin, urlOf: (webhook) => `${origin}/hook/${webhook}` };
}
