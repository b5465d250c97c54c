import { RenderFailure, typeError, valueError } from '../failures.js';
import { cut } from '../json/captured-text.js';
import type { Rendering } from '../rendering.js';
import { isLong } from './integers.js';
import { reprItems } from './repr.js';
import { CapturedText, Markup, Range, Undefined } from './simple-values.js';
import { codePoints, hasSurrogates, isString, textOf } from './text.js';
import { typeName } from './type-name.js';
import { Dict, NativeObject, Tuple, type Value } from './value.js';

/**
 * Budget steps for creating an iterator, which takes about 0.4 µs. Lists, tuples and strings without markup are not
 * charged.
 */
const iteratorSteps = 3;

/** Implements Python's `iter(value)`. Returns undefined for values that are not iterable. */
export function tryIterate(value: Value, rendering: Rendering): Iterator<Value> | undefined {
  if (typeof value === 'string') return iterateText(value, rendering);
  if (Array.isArray(value)) return value.values();
  if (value === null || typeof value !== 'object') return undefined;
  if (value instanceof Tuple) return value.items.values();
  rendering.budget.charge(iteratorSteps);
  if (value instanceof Dict) return iterateDict(value, ([key]) => key);
  if (value instanceof Range) return iterateRange(value, rendering);
  if (value instanceof Markup) return iterateMarkup(value, rendering);
  if (value instanceof Undefined) return [].values();
  return value instanceof NativeObject ? value.iterate?.(rendering) : undefined;
}

export function iterate(value: Value, rendering: Rendering): Iterator<Value> {
  const iterator = tryIterate(value, rendering);
  if (iterator === undefined) throw typeError(`'${typeName(value)}' object is not iterable`);
  return iterator;
}

/** Yields the items and charges a step for each. */
export function* items(value: Value, rendering: Rendering): Generator<Value> {
  const iterator = iterate(value, rendering);
  for (let next = iterator.next(); !next.done; next = iterator.next()) {
    rendering.budget.step();
    yield next.value;
  }
}

/** Implements Python's `list(value)`. The result is always a new list. */
export function toList(value: Value, rendering: Rendering): Value[] {
  if (Array.isArray(value)) {
    rendering.budget.list(value.length);
    return value.slice();
  }
  if (value instanceof Tuple) return toList(value.items as Value[], rendering);
  const list: Value[] = [];
  for (const item of items(value, rendering)) {
    if (list.length >= rendering.budget.limits.listLength) rendering.budget.list(list.length + 1);
    list.push(item);
  }
  return list;
}

/** Implements Python's `len(value)`. Returns undefined for values without a length. */
export function tryLength(value: Value, rendering: Rendering): number | undefined {
  if (typeof value === 'string') return textLength(value, rendering);
  if (Array.isArray(value)) return value.length;
  if (value === null || typeof value !== 'object') return undefined;
  if (value instanceof Tuple) return value.items.length;
  if (value instanceof Dict) return value.size;
  if (value instanceof Range) return value.length;
  if (value instanceof Markup) return textLength(value.text, rendering);
  if (value instanceof Undefined) return 0;
  return value instanceof NativeObject ? value.size?.() : undefined;
}

export function length(value: Value, rendering: Rendering): number {
  const result = tryLength(value, rendering);
  if (result === undefined) throw typeError(`object of type '${typeName(value)}' has no len()`);
  return result;
}

/** Implements Python's `reversed(value)`. Returns undefined for values that cannot be reversed. */
export function tryReverse(value: Value, rendering: Rendering): PythonIterator | undefined {
  if (!isReversible(value)) return undefined;
  rendering.budget.list(isString(value) ? textOf(value).length : length(value, rendering));
  const list = reversible(value);
  return new PythonIterator(list.slice().reverse().values(), `${typeName(value)}_reverseiterator`);
}

function isReversible(value: Value): boolean {
  if (value instanceof NativeObject) return value instanceof DictView;
  return isString(value) || (typeof value === 'object' && value !== null);
}

function reversible(value: Value): readonly Value[] {
  if (typeof value === 'string') return codePoints(value);
  if (value instanceof Markup) return charactersOf(value);
  if (Array.isArray(value)) return value;
  if (value instanceof Tuple) return value.items;
  if (value instanceof Range) return [...value];
  if (value instanceof Dict) return value.keys();
  return value instanceof DictView ? [...value.iterate()] : [];
}

function iterateRange(range: Range, { budget }: Rendering): Iterator<Value> {
  if (isLong(range.start) || isLong(range.stop)) budget.items(range.length * longItemSteps);
  return range[Symbol.iterator]();
}

/** Budget steps for one item of a range of long integers, which takes up to 0.4 µs. */
const longItemSteps = 3;

function iterateText(text: string, rendering: Rendering): Iterator<Value> {
  rendering.budget.items(text.length);
  return codePoints(text).values();
}

function iterateMarkup(value: Markup, rendering: Rendering): Iterator<Value> {
  rendering.budget.items(value.text.length);
  return charactersOf(value).values();
}

function charactersOf(value: Markup): Value[] {
  const characters = codePoints(value.text);
  if (!(value instanceof CapturedText)) return characters;
  let start = 0;
  return characters.map(({ length }) => {
    start += length;
    return cut(value, start - length, start);
  });
}

function textLength(text: string, rendering: Rendering): number {
  rendering.budget.characters(text.length);
  if (!hasSurrogates(text)) return text.length;
  rendering.budget.items(text.length);
  let length = text.length;
  for (let index = 0; index < text.length - 1; index++) {
    const code = text.charCodeAt(index);
    if (code < 0xd800 || code > 0xdbff) continue;
    const next = text.charCodeAt(index + 1);
    if (next >= 0xdc00 && next <= 0xdfff) {
      length--;
      index++;
    }
  }
  return length;
}

/** A Python generator or iterator. It can be read only once. */
export class PythonIterator extends NativeObject {
  readonly typeName: string;
  readonly #source: Iterator<Value>;
  #isRunning = false;

  constructor(source: Iterator<Value>, typeName = 'generator') {
    super();
    this.#source = { next: () => this.#next(source) };
    this.typeName = typeName;
  }

  repr(): string {
    return `<${this.typeName} object>`;
  }

  override readonly iterate = (): Iterator<Value> => this.#source;

  /** A generator can read itself through a list that contains it. JavaScript would throw a TypeError of its own. */
  #next(source: Iterator<Value>): IteratorResult<Value> {
    if (this.#isRunning) throw valueError('generator already executing');
    this.#isRunning = true;
    try {
      return source.next();
    } finally {
      this.#isRunning = false;
    }
  }
}

/** The result of `keys()`, `values()` or `items()`: a live view of a dict. */
export class DictView extends NativeObject {
  readonly dict: Dict;
  readonly kind: 'keys' | 'values' | 'items';

  constructor(dict: Dict, kind: 'keys' | 'values' | 'items') {
    super();
    this.dict = dict;
    this.kind = kind;
  }

  get typeName(): string {
    return `dict_${this.kind}`;
  }

  repr(rendering: Rendering): string {
    return `${this.typeName}([${reprItems([...this.iterate()], rendering)}])`;
  }

  override readonly iterate = (): Iterator<Value> & Iterable<Value> => {
    const { kind } = this;
    return iterateDict(this.dict, ([key, value]) =>
      kind === 'keys' ? key : kind === 'values' ? value : new Tuple([key, value]),
    );
  };

  override readonly size = (): number => this.dict.size;
}

function* iterateDict(dict: Dict, pick: (entry: [Value, Value]) => Value): Generator<Value> {
  const { size } = dict;
  for (const entry of dict.entries()) {
    if (dict.size !== size) throw changedSize();
    yield pick(entry);
  }
  if (dict.size !== size) throw changedSize();
}

function changedSize(): RenderFailure {
  return new RenderFailure('RuntimeError', 'dictionary changed size during iteration');
}
