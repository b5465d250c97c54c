import { Dict } from './dict.js';
import { Tuple, type Value } from './value.js';

/** A copy of lists and dicts, so that a template that changes them does not change those of its caller. */
export function isolate(value: Value): Value {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(isolate);
  if (value instanceof Dict) return value.mapValues(isolate);
  return value instanceof Tuple ? new Tuple(value.items.map(isolate)) : value;
}
