import { Dict } from './dict.js';
import type { Value } from './value.js';

/** Values that JSON can hold, as `JSON.parse` gives them. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

const MAX_DEPTH = 100;

/**
 * JSON as Python reads it: a whole number is an int. JSON has lost that `5.0` was a float; `isFloat` is asked for
 * the JSON pointer of each whole number.
 */
export function fromJson(
  json: Json,
  isFloat: (pointer: string) => boolean = () => false,
  pointer = '',
): Value {
  if (typeof json === 'number') return Number.isInteger(json) && !isFloat(pointer) ? BigInt(json) : json;
  if (json === null || typeof json !== 'object') return json;
  if (pointer.split('/').length > MAX_DEPTH) throw new RangeError('the context is nested too deeply');
  if (Array.isArray(json)) return json.map((item, index) => fromJson(item, isFloat, `${pointer}/${index}`));
  return Dict.fromStrings(
    Object.entries(json).map(([key, value]) => [
      key,
      fromJson(value, isFloat, `${pointer}/${escapePointer(key)}`),
    ]),
  );
}

function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
