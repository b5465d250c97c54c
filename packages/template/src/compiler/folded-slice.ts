import type { Node } from '../parser/nodes.js';
import { walk } from './visit.js';

/** Filters that need the context, which is not there when Jinja2 computes constants. */
const contextFilters: ReadonlySet<string> = new Set(['map', 'select', 'reject', 'selectattr', 'rejectattr']);

/** A printed constant with a slice in it: Jinja2 computes it when compiling, where a slice of what has none is undefined. */
export function isFoldedSlice(root: Node): boolean {
  let hasSlice = false;
  for (const node of walk(root)) {
    if (node.kind === 'Name' || node.kind === 'Call') return false;
    if (node.kind === 'Filter' && contextFilters.has(node.name)) return false;
    hasSlice ||= node.kind === 'Slice';
  }
  return hasSlice;
}
