import type { Budget } from '../budget.js';
import { typeError } from '../failures.js';
import type { Rendering } from '../rendering.js';
import { Markup, Range, Undefined } from './simple-values.js';

/**
 * Values of templates. The table shows the TypeScript type of each Python type:
 *
 * | Python | TypeScript |
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

/** A group that the filter `groupby` returns: a pair with the attributes `grouper` and `list`. */
export class GroupTuple extends Tuple {
  readonly grouper: Value;
  readonly list: Value[];

  constructor(grouper: Value, list: Value[]) {
    super([grouper, list]);
    this.grouper = grouper;
    this.list = list;
  }
}

/** The arguments of a call, filter or test. */
export interface CallArguments {
  readonly positional: readonly Value[];
  readonly keywords: ReadonlyMap<string, Value>;
}

const noKeywords: ReadonlyMap<string, Value> = new Map();

export function positionalArguments(...positional: Value[]): CallArguments {
  return { positional, keywords: noKeywords };
}

/**
 * Base class of objects with attributes or methods. A template can use an object only through the members of this
 * class.
 */
export abstract class NativeObject {
  /** Name of the type in Python, for error messages. */
  abstract readonly typeName: string;
  abstract repr(rendering: Rendering): string;

  /** False for objects that cannot be the key of a dict in Python. */
  readonly isHashable: boolean = true;

  /** Returns the attribute with the given name, or undefined if there is none. */
  attribute(_name: string, _rendering: Rendering): Value | undefined {
    return undefined;
  }

  /** Calls the object. The member is undefined if the object is not callable. */
  readonly call?: ((args: CallArguments, rendering: Rendering) => Value) | undefined;

  /** Returns an iterator; a generator returns the same one each time. Undefined if the object is not iterable. */
  readonly iterate?: (rendering: Rendering) => Iterator<Value>;

  /** Returns the length. The member is undefined if the object has no length. */
  readonly size?: () => number;
}

/**
 * A `dict` of Python, ordered by insertion. Equal keys such as `1`, `1.0` and `True` share one entry, which keeps the
 * first of these keys.
 */
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

  /** Returns an iterator that includes entries added during the iteration. */
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

/**
 * Key of a dict entry in a JavaScript Map. Two values have equal keys only if Python treats them as the same dict key.
 */
export type HashKey = string | number | null | object;

const undefinedKey = {};
const maxDepth = 100;

/** Returns the Map key of a value. Throws a TypeError for values that Python cannot hash. */
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

/**
 * Returns the key of an integer: a number, or text for a large integer. V8 hashes only the lowest 64 bits of a bigint,
 * so a Map with bigint keys from a hostile template would be slow.
 */
function bigintKey(value: bigint, budget: Budget): number | string {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  const text = linearText(value);
  budget.characters(text.length);
  return `\0n${text}`;
}

/** Converts an integer to text in linear time, which is possible only for a radix that is a power of two. */
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

/**
 * Converts a tuple to text, for use as a key. The length of each part is written before the part, so that different
 * tuples have different texts.
 */
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
