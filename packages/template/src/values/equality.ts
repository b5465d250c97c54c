import type { Rendering } from '../rendering.js';
import { DictView } from './iterate.js';
import { Range, Undefined } from './simple-values.js';
import { isString, textOf } from './text.js';
import { Dict, Tuple, type Value } from './value.js';

/**
 * Implements Python's `left == right`. If a list occurs several times in a value, every occurrence is compared, and
 * steps are charged for each comparison.
 */
export function equals(left: Value, right: Value, rendering: Rendering): boolean {
  if (isNumeric(left)) return isNumeric(right) && equalNumbers(numeric(left), numeric(right));
  if (isString(left)) return isString(right) && equalText(textOf(left), textOf(right), rendering);
  if (left === null || right === null || typeof right !== 'object') return left === right;
  return equalObjects(left, right, rendering);
}

/** Compares items of containers. Unlike with `==`, NaN equals itself. */
export function sameOrEqual(left: Value, right: Value, rendering: Rendering): boolean {
  // Two strings are compared only by `equals`, which charges steps for their length.
  return (typeof left !== 'string' && Object.is(left, right)) || equals(left, right, rendering);
}

export function isNumeric(value: Value): value is bigint | number | boolean {
  return typeof value === 'bigint' || typeof value === 'number' || typeof value === 'boolean';
}

/** Converts booleans to 0 and 1. */
export function numeric(value: bigint | number | boolean): bigint | number {
  return typeof value === 'boolean' ? (value ? 1n : 0n) : value;
}

/** Compares a bigint with a number exactly, without a conversion that rounds. */
function equalNumbers(left: bigint | number, right: bigint | number): boolean {
  return left <= right && left >= right;
}

function equalText(left: string, right: string, rendering: Rendering): boolean {
  if (left.length !== right.length) return false;
  rendering.budget.characters(left.length);
  return left === right;
}

function equalObjects(left: object, right: object, rendering: Rendering): boolean {
  if (left instanceof Undefined) return right instanceof Undefined;
  if (Array.isArray(left)) return Array.isArray(right) && equalItems(left, right, rendering);
  if (left instanceof Tuple) return right instanceof Tuple && equalItems(left.items, right.items, rendering);
  if (left instanceof Dict) return right instanceof Dict && equalDicts(left, right, rendering);
  if (left instanceof Range) return right instanceof Range && equalRanges(left, right);
  if (left instanceof DictView && right instanceof DictView) return equalViews(left, right, rendering);
  return left === right;
}

function equalItems(left: readonly Value[], right: readonly Value[], rendering: Rendering): boolean {
  if (left.length !== right.length) return false;
  const { budget } = rendering;
  budget.descend();
  let equal = true;
  for (let index = 0; equal && index < left.length; index++) {
    budget.step();
    equal = sameOrEqual(left[index]!, right[index]!, rendering);
  }
  budget.ascend();
  return equal;
}

function equalDicts(left: Dict, right: Dict, rendering: Rendering): boolean {
  if (left.size !== right.size) return false;
  const { budget } = rendering;
  budget.descend();
  let equal = true;
  for (const [key, value] of left.entries()) {
    budget.step();
    const other = right.get(key, budget);
    equal = other !== undefined && sameOrEqual(value, other, rendering);
    if (!equal) break;
  }
  budget.ascend();
  return equal;
}

function equalRanges(left: Range, right: Range): boolean {
  if (left.length !== right.length) return false;
  if (left.length === 0) return true;
  return left.start === right.start && (left.length === 1 || left.step === right.step);
}

/** Compares views of keys and items as sets. A view of values equals only itself. */
function equalViews(left: DictView, right: DictView, rendering: Rendering): boolean {
  if (left.kind !== right.kind || left.kind === 'values') return left === right;
  if (left.kind === 'items') return equalDicts(left.dict, right.dict, rendering);
  if (left.dict.size !== right.dict.size) return false;
  rendering.budget.items(left.dict.size);
  return left.dict.keys().every((key) => right.dict.has(key, rendering.budget));
}
