import type { Dict } from './dict.js';
import type { Markup } from './markup.js';
import type { NativeObject } from './native-object.js';
import type { Range } from './range.js';
import type { Undefined } from './undefined.js';

/**
 * Everything that a template can hold. Python's types map to:
 *
 * | Python | here |
 * |---|---|
 * | None, bool, str | null, boolean, string |
 * | int | bigint (exact at any size) |
 * | float | number |
 * | list | array |
 * | tuple, dict, range, Markup | Tuple, Dict, Range, Markup |
 * | everything else | NativeObject: generators, views, macros, loops, methods, … |
 */
export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Markup
  | Value[]
  | Tuple
  | Dict
  | Range
  | Undefined
  | NativeObject;

export class Tuple {
  readonly items: readonly Value[];

  constructor(items: readonly Value[]) {
    this.items = items;
  }
}
