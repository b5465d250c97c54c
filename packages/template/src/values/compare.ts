import { typeError } from '../failures.js';
import type { Rendering } from '../rendering.js';
import { isNumeric, numeric, sameOrEqual } from './equality.js';
import { includesText } from './find-text.js';
import { DictView, iterate } from './iterate.js';
import { Range, Undefined } from './simple-values.js';
import { hasSurrogates, isString, textOf } from './text.js';
import { typeName } from './type-name.js';
import { Dict, NativeObject, Tuple, type Value } from './value.js';

export type Ordering = '<' | '<=' | '>' | '>=';

/** Compares two values as Python does. Throws a TypeError for values that Python cannot order. */
export function compare(left: Value, operator: Ordering, right: Value, rendering: Rendering): boolean {
  if (isNumeric(left) && isNumeric(right)) return holds(operator, numeric(left), numeric(right));
  if (isString(left) && isString(right)) {
    return holds(operator, compareText(textOf(left), textOf(right), rendering), 0);
  }
  if (Array.isArray(left) && Array.isArray(right)) return compareItems(left, operator, right, rendering);
  if (left instanceof Tuple && right instanceof Tuple) {
    return compareItems(left.items, operator, right.items, rendering);
  }
  if (left instanceof Undefined) left.fail();
  if (right instanceof Undefined) right.fail();
  if (left instanceof DictView && right instanceof DictView && left.kind !== 'values') {
    return compareViews(left, operator, right, rendering);
  }
  throw typeError(
    `'${operator}' not supported between instances of '${typeName(left)}' and '${typeName(right)}'`,
  );
}

/** Returns the result of Python's `needle in haystack`. */
export function contains(haystack: Value, needle: Value, rendering: Rendering): boolean {
  const { budget } = rendering;
  if (isString(haystack)) {
    if (needle instanceof Undefined || !isString(needle)) {
      throw typeError(`'in <string>' requires string as left operand, not ${typeName(needle)}`);
    }
    budget.characters(textOf(haystack).length);
    return includesText(textOf(haystack), textOf(needle));
  }
  if (haystack instanceof Dict) return haystack.has(needle, budget);
  if (haystack instanceof DictView && haystack.kind === 'keys') return haystack.dict.has(needle, budget);
  if (haystack instanceof Range && typeof needle === 'bigint') return rangeContains(haystack, needle);
  if (haystack instanceof NativeObject && haystack.iterate === undefined) throw notIterable(haystack);
  if (haystack === null || typeof haystack !== 'object') throw notIterable(haystack);
  const iterator = iterate(haystack, rendering);
  for (let next = iterator.next(); !next.done; next = iterator.next()) {
    budget.step();
    if (sameOrEqual(next.value, needle, rendering)) return true;
  }
  return false;
}

function notIterable(value: Value) {
  return typeError(`argument of type '${typeName(value)}' is not iterable`);
}

function rangeContains(range: Range, needle: bigint): boolean {
  if (range.length === 0) return false;
  const steps = (needle - range.start) / range.step;
  return range.start + steps * range.step === needle && steps >= 0n && steps < BigInt(range.length);
}

function holds(operator: Ordering, left: bigint | number, right: bigint | number): boolean {
  switch (operator) {
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
  }
}

/**
 * Compares by code points, as Python does. JavaScript compares UTF-16 units, which orders some characters differently.
 */
function compareText(left: string, right: string, rendering: Rendering): number {
  const end = Math.min(left.length, right.length);
  rendering.budget.characters(end);
  if (left === right) return 0;
  if (!hasSurrogates(left.slice(0, end)) && !hasSurrogates(right.slice(0, end))) return left < right ? -1 : 1;
  let index = 0;
  while (index < end && left.charCodeAt(index) === right.charCodeAt(index)) index++;
  if (index === end) return left.length - right.length;
  return codePointOrder(left.charCodeAt(index)) - codePointOrder(right.charCodeAt(index));
}

/** Returns a sort key of a UTF-16 unit. Surrogates come after all other units, which gives the order of code points. */
function codePointOrder(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

function compareItems(
  left: readonly Value[],
  operator: Ordering,
  right: readonly Value[],
  rendering: Rendering,
): boolean {
  const { budget } = rendering;
  budget.descend();
  const end = Math.min(left.length, right.length);
  let index = 0;
  while (index < end && sameOrEqual(left[index]!, right[index]!, rendering)) {
    budget.step();
    index++;
  }
  const result =
    index === end
      ? holds(operator, left.length, right.length)
      : compare(left[index]!, operator, right[index]!, rendering);
  budget.ascend();
  return result;
}

/** Compares dict views as sets: `<` means proper subset. */
function compareViews(left: DictView, operator: Ordering, right: DictView, rendering: Rendering): boolean {
  if (operator === '>' || operator === '>=') {
    return compareViews(right, operator === '>' ? '<' : '<=', left, rendering);
  }
  if (operator === '<' && left.dict.size >= right.dict.size) return false;
  const iterator = left.iterate();
  for (let next = iterator.next(); !next.done; next = iterator.next()) {
    rendering.budget.step();
    if (!contains(right, next.value, rendering)) return false;
  }
  return true;
}

/** Implements Python's `sorted`. The sort is stable and compares only with `<`. */
export function sorted(
  rendering: Rendering,
  values: readonly Value[],
  options: { key: (item: Value) => Value; reverse: boolean },
): Value[] {
  const { budget } = rendering;
  budget.list(values.length);
  const keyed = values.map((value) => ({ value, key: options.key(value) }));
  const less = (left: Value, right: Value) => {
    budget.step();
    return compare(left, '<', right, rendering);
  };
  const sign = options.reverse ? -1 : 1;
  keyed.sort((left, right) => {
    if (less(left.key, right.key)) return -sign;
    return less(right.key, left.key) ? sign : 0;
  });
  return keyed.map(({ value }) => value);
}
