import { Dict, type Value } from './value.js';

/** Values that `JSON.parse` returns. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

const maxDepth = 100;

/**
 * Converts JSON to values as Python's `json.loads` does. A whole number becomes an int, except if `isFloat` returns
 * true for its JSON pointer: JavaScript does not distinguish `5.0` from `5`. Lists and objects nested more than 100
 * deep become None.
 */
export function fromJson(
  json: Json,
  isFloat: (pointer: string) => boolean = () => false,
  pointer = '',
): Value {
  return convert(json, { isFloat, pointer, depth: 0 });
}

interface Place {
  readonly isFloat: (pointer: string) => boolean;
  readonly pointer: string;
  readonly depth: number;
}

function convert(json: Json, place: Place): Value {
  const { isFloat, pointer, depth } = place;
  if (typeof json === 'number') return Number.isInteger(json) && !isFloat(pointer) ? BigInt(json) : json;
  if (json === null || typeof json !== 'object') return json;
  if (depth >= maxDepth) return null;
  const inside = (key: string | number): Place => ({
    isFloat,
    pointer: `${pointer}/${escapePointer(String(key))}`,
    depth: depth + 1,
  });
  if (Array.isArray(json)) return json.map((item: Json, index) => convert(item, inside(index)));
  return Dict.fromStrings(Object.entries(json).map(([key, value]) => [key, convert(value, inside(key))]));
}

function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
