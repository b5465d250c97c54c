/**
 * Loaded into a service from outside (`node --import '…/sabotage-main.js?sabotage=NAME' main.js`): rewrites one piece
 * of one module as it is loaded, so that the code that ships needs no hook for tests.
 */

import { writeSync } from 'node:fs';
import { type LoadHook, register } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import { markOf, type Sabotage, sabotages } from './mutations.js';

/** `process.stderr` of a thread passes through the main one and may come too late. */
const stderr = 2;
const name = new URL(import.meta.url).searchParams.get('sabotage') ?? '';
const sabotage: Sabotage | undefined = Object.values(sabotages).find((entry) => entry.name === name);
if (sabotage === undefined) throw new Error(`There is no sabotage called "${name}".`);

// Node runs hooks on a thread of their own, where this module is loaded once more.
if (isMainThread) register(import.meta.url);

export const load: LoadHook = async (url, context, nextLoad) => {
  const loaded = await nextLoad(url, context);
  if (!url.endsWith(sabotage.module)) return loaded;
  const parts = String(loaded.source).split(sabotage.piece);
  if (parts.length !== 2)
    throw new Error(
      `${sabotage.name}: ${sabotage.module} holds ${parts.length - 1} times: ${sabotage.piece}`,
    );
  // The suite looks for this line: a sabotage that met nothing would prove nothing.
  writeSync(stderr, `${markOf(sabotage)}\n`);
  return { ...loaded, source: parts.join(sabotage.replacement) };
};
