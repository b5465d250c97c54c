import type { Value } from '../values/value.js';

/** What a template passes to a call, filter or test. */
export interface CallArguments {
  readonly positional: readonly Value[];
  readonly keywords: ReadonlyMap<string, Value>;
}

const noKeywords: ReadonlyMap<string, Value> = new Map();

export function positionalArguments(...positional: Value[]): CallArguments {
  return { positional, keywords: noKeywords };
}
