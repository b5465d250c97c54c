import type { Budget } from '../budget.js';
import { typeError } from '../failures.js';
import type { Rendering } from '../rendering.js';
import { Markup } from './markup.js';
import { Range } from './range.js';
import { Undefined } from './undefined.js';

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

/** What `groupby` gives: a pair that can be unpacked, and read as `grouper` and `list`. */
export class GroupTuple extends Tuple {
  readonly grouper: Value;
  readonly list: Value[];

  constructor(grouper: Value, list: Value[]) {
    super([grouper, list]);
    this.grouper = grouper;
    this.list = list;
  }
}

/** What a template passes to a call, filter or test. */
export interface CallArguments {
  readonly positional: readonly Value[];
  readonly keywords: ReadonlyMap<string, Value>;
}

const noKeywords: ReadonlyMap<string, Value> = new Map();

export function positionalArguments(...positional: Value[]): CallArguments {
  return { positional, keywords: noKeywords };
}

/**
 * An object whose whole behaviour is this class: what is not overridden here cannot be reached from a template,
 * since no JavaScript property ever is.
 */
export abstract class NativeObject {
  /** Python's name of the type, as error messages show it. */
  abstract readonly typeName: string;
  abstract repr(rendering: Rendering): string;

  /** False for what Python cannot use as the key of a dict. */
  readonly isHashable: boolean = true;

  /** The attribute of that name; undefined when there is none. */
  attribute(_name: string, _runtime: Rendering): Value | undefined {
    return undefined;
  }

  /** Present on what can be called. */
  readonly call?: (args: CallArguments, rendering: Rendering) => Value;

  /** Present on what can be iterated over; iterators give themselves. */
  readonly iterate?: (rendering: Rendering) => Iterator<Value>;

  /** Present on what has a `len()`. */
  readonly size?: () => number;
}

/** Python's dict: in order of insertion, keys equal as in Python (`1 == 1.0 == True`), the first key kept. */
export class Dict {
  readonly #entriesByKey = new Map<HashKey, [Value, Value]>();

  static fromStrings(entries: Iterable<readonly [string, Value]>): Dict {
    const dict = new Dict();
    for (const [key, value] of entries) dict.setString(key, value);
    return dict;
  }

  get size(): number {
    return this.#entriesByKey.size;
  }

  get(key: Value, budget: Budget): Value | undefined {
    return this.#entriesByKey.get(hashKey(key, budget))?.[1];
  }

  getString(key: string): Value | undefined {
    return this.#entriesByKey.get(textKey(key))?.[1];
  }

  has(key: Value, budget: Budget): boolean {
    return this.#entriesByKey.has(hashKey(key, budget));
  }

  set(key: Value, value: Value, budget: Budget): void {
    const hash = hashKey(key, budget);
    const entry = this.#entriesByKey.get(hash);
    if (entry !== undefined) {
      entry[1] = value;
      return;
    }
    budget.step();
    if (this.#entriesByKey.size >= budget.limits.listLength) budget.list(this.#entriesByKey.size + 1);
    this.#entriesByKey.set(hash, [key, value]);
  }

  setString(key: string, value: Value): void {
    const hash = textKey(key);
    const entry = this.#entriesByKey.get(hash);
    if (entry === undefined) this.#entriesByKey.set(hash, [key, value]);
    else entry[1] = value;
  }

  delete(key: Value, budget: Budget): Value | undefined {
    const hash = hashKey(key, budget);
    const entry = this.#entriesByKey.get(hash);
    this.#entriesByKey.delete(hash);
    return entry?.[1];
  }

  clear(): void {
    this.#entriesByKey.clear();
  }

  keys(): Value[] {
    return Array.from(this.#entriesByKey.values(), ([key]) => key);
  }

  values(): Value[] {
    return Array.from(this.#entriesByKey.values(), ([, value]) => value);
  }

  /** Live: sees what is added meanwhile. */
  entries(): IterableIterator<[Value, Value]> {
    return this.#entriesByKey.values();
  }

  mapValues(map: (value: Value) => Value): Dict {
    const mapped = new Dict();
    for (const [hash, [key, value]] of this.#entriesByKey) mapped.#entriesByKey.set(hash, [key, map(value)]);
    return mapped;
  }

  copy(budget: Budget): Dict {
    budget.list(this.size);
    const copy = new Dict();
    for (const [hash, [key, value]] of this.#entriesByKey) copy.#entriesByKey.set(hash, [key, value]);
    return copy;
  }
}

function textKey(key: string): HashKey {
  return key.charCodeAt(0) === 0 ? `\0s${key}` : key;
}

/** Equal for two values exactly when Python finds them equal and of equal hash. */
export type HashKey = string | number | null | object;

const undefinedKey = {};
const maxDepth = 100;

/** The key of a value in a Map; throws a TypeError for what Python cannot hash. */
export function hashKey(value: Value, budget: Budget): HashKey {
  switch (typeof value) {
    case 'string':
      return stringKey(value, budget);
    case 'number':
      return numberKey(value, budget);
    case 'bigint':
      return bigintKey(value, budget);
    case 'boolean':
      return value ? 1 : 0;
    default:
      return objectKey(value, budget, 0);
  }
}

function stringKey(value: string, budget: Budget): HashKey {
  budget.characters(value.length);
  return textKey(value);
}

function numberKey(value: number, budget: Budget): number | string {
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? bigintKey(BigInt(value), budget) : value;
}

/** As text, since a Map tells bigints apart by their lowest 64 bits only: those that share them are gone through. */
function bigintKey(value: bigint, budget: Budget): number | string {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  const text = linearText(value);
  budget.characters(text.length);
  return `\0n${text}`;
}

/** In a radix that is a power of two; decimal digits cost the square of their number. */
function linearText(value: bigint): string {
  return value.toString(32);
}

function objectKey(value: object | null, budget: Budget, depth: number): HashKey {
  if (value === null) return null;
  if (value instanceof Markup) return stringKey(value.text, budget);
  if (value instanceof Tuple) return `\0t${tupleText(value, budget, depth)}`;
  if (value instanceof Undefined) return undefinedKey;
  if (value instanceof Range) return rangeText(value);
  if (value instanceof NativeObject && value.isHashable) return value;
  throw typeError(`unhashable type: '${nameOfUnhashable(value)}'`);
}

function nameOfUnhashable(value: object): string {
  if (value instanceof NativeObject) return value.typeName;
  return Array.isArray(value) ? 'list' : 'dict';
}

/** Lengths in front of each part, so that no two tuples give the same text. Nested tuples cost their full text. */
function tupleText(tuple: Tuple, budget: Budget, depth: number): string {
  if (depth > maxDepth) budget.charge(budget.limits.steps + 1);
  budget.items(tuple.items.length + 1);
  let text = '';
  for (const item of tuple.items) {
    const part = partText(item, budget, depth);
    budget.characters(part.length);
    text += `${part.length}:${part}`;
  }
  budget.string(text.length);
  return text;
}

function partText(item: Value, budget: Budget, depth: number): string {
  if (item instanceof Tuple) return `t${tupleText(item, budget, depth + 1)}`;
  const key = typeof item === 'object' ? objectKey(item, budget, depth) : hashKey(item, budget);
  if (key === null) return 'none';
  if (typeof key === 'object') return `o${identityOf(key)}`;
  return `${typeof key === 'string' ? 's' : 'n'}${key}`;
}

const identities = new WeakMap<object, number>();
let nextIdentity = 0;

function identityOf(object: object): number {
  const known = identities.get(object);
  if (known !== undefined) return known;
  identities.set(object, nextIdentity);
  return nextIdentity++;
}

function rangeText(range: Range): string {
  if (range.length === 0) return '\0r';
  const start = `\0r${linearText(range.start)}`;
  return range.length === 1 ? start : `${start},${range.length},${linearText(range.step)}`;
}
