import { Markup, Range, Undefined } from './simple-values.js';
import { Dict, NativeObject, Tuple, type Value } from './value.js';

/** Implements Python's `bool(value)`. */
export function isTrue(value: Value): boolean {
  switch (typeof value) {
    case 'boolean':
      return value;
    case 'string':
      return value !== '';
    case 'bigint':
      return value !== 0n;
    case 'number':
      return value !== 0;
    default:
      return isTrueObject(value);
  }
}

function isTrueObject(value: Exclude<Value, string | bigint | number | boolean>): boolean {
  if (value === null || value instanceof Undefined) return false;
  if (Array.isArray(value)) return value.length > 0;
  if (value instanceof Dict) return value.size > 0;
  if (value instanceof Tuple) return value.items.length > 0;
  if (value instanceof Markup) return value.text !== '';
  if (value instanceof Range) return value.length > 0;
  return value instanceof NativeObject && value.size !== undefined ? value.size() > 0 : true;
}
