import type { FilterTable } from '../evaluator/runtime.js';
import { htmlFilters } from './html-filters.js';
import { jsonFilters } from './json-filters.js';
import { lazyFilters } from './lazy-filters.js';
import { numberFilters } from './number-filters.js';
import { sequenceFilters } from './sequence-filters.js';
import { stringFilters } from './string-filters.js';
import { textLayoutFilters } from './text-layout-filters.js';
import { dictFilters, valueFilters } from './value-filters.js';

const aliases: readonly (readonly [string, string])[] = [
  ['d', 'default'],
  ['e', 'escape'],
  ['count', 'length'],
];

/** Creates Jinja2's built-in filters, by name. */
export function createFilters(): FilterTable {
  const filters = new Map([
    ...valueFilters(),
    ...stringFilters(),
    ...textLayoutFilters(),
    ...htmlFilters(),
    ...numberFilters(),
    ...sequenceFilters(),
    ...lazyFilters(),
    ...dictFilters(),
    ...jsonFilters(),
  ]);
  for (const [alias, name] of aliases) filters.set(alias, filters.get(name)!);
  return filters;
}
