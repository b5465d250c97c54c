/**
 * Loads a mutation (see `mutations.ts`) into a service: `node --import '…/mutation-loader.js?mutation=NAME' main.js`.
 * This module replaces a text in one other module while Node.js loads that module. The released code therefore needs no
 * test hooks.
 */

import { writeSync } from 'node:fs';
import { type LoadHook, register } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import { type Mutation, markOf, mutations } from './mutations.js';

/**
 * File descriptor of standard error. This module writes to the descriptor directly, because output of a worker thread
 * to `process.stderr` passes through the main thread and can be late.
 */
const stderr = 2;
const name = new URL(import.meta.url).searchParams.get('mutation') ?? '';
const mutation: Mutation | undefined = Object.values(mutations).find((entry) => entry.name === name);
if (mutation === undefined) throw new Error(`There is no mutation called "${name}".`);

// Only the main thread registers the hook. Node.js then loads this module again in the separate thread for loader
// hooks.
if (isMainThread) register(import.meta.url);

export const load: LoadHook = async (url, context, nextLoad) => {
  const loaded = await nextLoad(url, context);
  if (!url.endsWith(mutation.module)) return loaded;
  const parts = String(loaded.source).split(mutation.original);
  if (parts.length !== 2)
    throw new Error(
      `${mutation.name}: ${mutation.module} contains ${parts.length - 1} times: ${mutation.original}`,
    );
  // The suite checks that the service has written this line. Otherwise a mutation of a module that is never loaded
  // would look like a defect that the suite does not detect.
  writeSync(stderr, `${markOf(mutation)}\n`);
  return { ...loaded, source: parts.join(mutation.replacement) };
};
