import type { Runtime } from '../evaluator/runtime.js';
import { typeError } from '../failures.js';
import { Dict } from './dict.js';
import { DictView, iterateDict } from './dict-views.js';
import { isLong } from './integers.js';
import { PythonIterator } from './iterators.js';
import { Markup } from './markup.js';
import { NativeObject } from './native-object.js';
import { Range } from './range.js';
import { codePoints, hasSurrogates, isString, textOf } from './text.js';
import { typeName } from './type-name.js';
import { Undefined } from './undefined.js';
import { Tuple, type Value } from './value.js';

/** Python's `iter(value)`; undefined for what cannot be iterated over. */
export function tryIterate(value: Value, runtime: Runtime): Iterator<Value> | undefined {
  if (typeof value === 'string') return iterateText(value, runtime);
  if (Array.isArray(value)) return value.values();
  if (value === null || typeof value !== 'object') return undefined;
  if (value instanceof Tuple) return value.items.values();
  if (value instanceof Dict) return iterateDict(value, ([key]) => key);
  if (value instanceof Range) return iterateRange(value, runtime);
  if (value instanceof Markup) return iterateText(value.text, runtime);
  if (value instanceof Undefined) return [].values();
  return value instanceof NativeObject ? value.iterate?.(runtime) : undefined;
}

export function iterate(value: Value, runtime: Runtime): Iterator<Value> {
  const iterator = tryIterate(value, runtime);
  if (iterator === undefined) throw typeError(`'${typeName(value)}' object is not iterable`);
  return iterator;
}

/** The items one by one, each a step. */
export function* items(value: Value, runtime: Runtime): Generator<Value> {
  const iterator = iterate(value, runtime);
  for (let next = iterator.next(); !next.done; next = iterator.next()) {
    runtime.budget.step();
    yield next.value;
  }
}

/** Python's `list(value)`: always a new list. */
export function toList(value: Value, runtime: Runtime): Value[] {
  if (Array.isArray(value)) {
    runtime.budget.list(value.length);
    return value.slice();
  }
  if (value instanceof Tuple) return toList(value.items as Value[], runtime);
  const list: Value[] = [];
  for (const item of items(value, runtime)) {
    if (list.length >= runtime.budget.limits.listLength) runtime.budget.list(list.length + 1);
    list.push(item);
  }
  return list;
}

/** Python's `len(value)`; undefined for what has none. */
export function tryLength(value: Value, runtime: Runtime): number | undefined {
  if (typeof value === 'string') return textLength(value, runtime);
  if (Array.isArray(value)) return value.length;
  if (value === null || typeof value !== 'object') return undefined;
  if (value instanceof Tuple) return value.items.length;
  if (value instanceof Dict) return value.size;
  if (value instanceof Range) return value.length;
  if (value instanceof Markup) return textLength(value.text, runtime);
  if (value instanceof Undefined) return 0;
  return value instanceof NativeObject ? value.size?.() : undefined;
}

export function length(value: Value, runtime: Runtime): number {
  const result = tryLength(value, runtime);
  if (result === undefined) throw typeError(`object of type '${typeName(value)}' has no len()`);
  return result;
}

/** Python's `reversed(value)`; undefined for what has no order to reverse. */
export function tryReverse(value: Value, runtime: Runtime): PythonIterator | undefined {
  if (!isReversible(value)) return undefined;
  runtime.budget.list(isString(value) ? textOf(value).length : length(value, runtime));
  const list = reversible(value);
  return new PythonIterator(list.slice().reverse().values(), `${typeName(value)}_reverseiterator`);
}

function isReversible(value: Value): boolean {
  if (value instanceof NativeObject) return value instanceof DictView;
  return isString(value) || (typeof value === 'object' && value !== null);
}

function reversible(value: Value): readonly Value[] {
  if (typeof value === 'string') return codePoints(value);
  if (value instanceof Markup) return codePoints(value.text);
  if (Array.isArray(value)) return value;
  if (value instanceof Tuple) return value.items;
  if (value instanceof Range) return [...value];
  if (value instanceof Dict) return value.keys();
  return value instanceof DictView ? [...value.iterate()] : [];
}

function iterateRange(range: Range, { budget }: Runtime): Iterator<Value> {
  if (isLong(range.start) || isLong(range.stop)) budget.items(range.length * longItemSteps);
  return range[Symbol.iterator]();
}

/** Making one integer of 4,096 bits takes up to 0.4 µs. */
const longItemSteps = 3;

function iterateText(text: string, runtime: Runtime): Iterator<Value> {
  runtime.budget.items(text.length);
  return codePoints(text).values();
}

function textLength(text: string, runtime: Runtime): number {
  runtime.budget.characters(text.length);
  if (!hasSurrogates(text)) return text.length;
  runtime.budget.items(text.length);
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
