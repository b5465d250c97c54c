import type { Budget } from '../budget.js';
import { typeError, valueError } from '../failures.js';
import { cut } from '../json/captured-text.js';
import type { Rendering } from '../rendering.js';
import { type Markup, Range, Undefined } from './simple-values.js';
import { codePoints, hasSurrogates, isString, sameKind, textOf } from './text.js';
import { typeName } from './type-name.js';
import { Dict, Tuple, type Value } from './value.js';

/** Implements Python's `value[key]`. Returns undefined where Python raises a TypeError or LookupError. */
export function tryGetItem(value: Value, key: Value, rendering: Rendering): Value | undefined {
  if (value === null || (typeof value !== 'object' && typeof value !== 'string')) return undefined;
  if (value instanceof Dict)
    return isHashable(key, rendering.budget) ? value.get(key, rendering.budget) : undefined;
  if (value instanceof Undefined) value.fail();
  const index = asIndex(key);
  if (index === undefined) return undefined;
  if (isString(value)) return characterAt(value, index, rendering);
  if (Array.isArray(value)) return at(value, index);
  if (value instanceof Tuple) return at(value.items, index);
  if (value instanceof Range) return rangeItem(value, index);
  return undefined;
}

export interface SliceBounds {
  start: Value;
  stop: Value;
  step: Value;
}

/** Implements Python's `value[start:stop:step]`. */
export function getSlice(value: Value, bounds: SliceBounds, rendering: Rendering): Value {
  if (value instanceof Undefined) value.fail();
  if (isString(value)) {
    rendering.budget.characters(textOf(value).length);
    return (hasSurrogates(textOf(value)) ? sliceCodePoints : sliceText)(value, bounds, rendering);
  }
  if (Array.isArray(value)) return sliceItems(value, bounds, rendering);
  if (value instanceof Tuple) return new Tuple(sliceItems(value.items, bounds, rendering));
  if (value instanceof Range) {
    const { start, step, count } = resolveSlice(bounds, value.length);
    if (count === 0) return new Range(0n, 0n, 1n);
    const part = value.slice(start, step, count);
    rendering.budget.integer(part.step);
    return part;
  }
  if (value instanceof Dict) throw typeError("unhashable type: 'slice'");
  throw typeError(`'${typeName(value)}' object is not subscriptable`);
}

/**
 * Returns true if a value can be a dict key. If a tuple occurs several times in the value, each occurrence is checked,
 * and its steps are charged.
 */
function isHashable(key: Value, budget: Budget): boolean {
  if (key === null || typeof key !== 'object') return true;
  if (!(key instanceof Tuple)) return !(Array.isArray(key) || key instanceof Dict);
  budget.descend();
  budget.items(key.items.length);
  const hashable = key.items.every((item) => isHashable(item, budget));
  budget.ascend();
  return hashable;
}

function asIndex(key: Value): number | undefined {
  if (typeof key === 'bigint') return Number(key);
  return typeof key === 'boolean' ? Number(key) : undefined;
}

function at(items: readonly Value[], index: number): Value | undefined {
  return items[index < 0 ? items.length + index : index];
}

function characterAt(value: string | Markup, index: number, rendering: Rendering): Value | undefined {
  const text = textOf(value);
  rendering.budget.characters(text.length);
  if (hasSurrogates(text)) {
    rendering.budget.items(text.length);
    const characters = codePoints(text);
    const character = characters[index < 0 ? characters.length + index : index];
    if (character === undefined) return undefined;
    const start = characters.slice(0, index < 0 ? characters.length + index : index).join('').length;
    return cut(value, start, start + character.length);
  }
  const start = index < 0 ? text.length + index : index;
  return start >= 0 && start < text.length ? cut(value, start, start + 1) : undefined;
}

function rangeItem(range: Range, index: number): Value | undefined {
  const position = index < 0 ? range.length + index : index;
  return position >= 0 && position < range.length ? range.at(position) : undefined;
}

/** Slices a text without surrogates. The part keeps its trust (`json/captured-text.ts`) if the step is 1. */
function sliceText(value: string | Markup, bounds: SliceBounds, rendering: Rendering): string | Markup {
  const text = textOf(value);
  const { start, step, count } = resolveSlice(bounds, text.length);
  rendering.budget.string(count);
  if (step === 1) return cut(value, start, start + count);
  let result = '';
  for (let taken = 0; taken < count; taken++) result += text.charAt(start + taken * step);
  return sameKind(value, result);
}

function sliceCodePoints(value: string | Markup, bounds: SliceBounds, rendering: Rendering): string | Markup {
  rendering.budget.items(textOf(value).length);
  const characters = codePoints(textOf(value));
  const sliced = sliceItems(characters, bounds, rendering).join('');
  const { start, step } = resolveSlice(bounds, characters.length);
  if (step !== 1) return sameKind(value, sliced);
  const from = characters.slice(0, start).join('').length;
  return cut(value, from, from + sliced.length);
}

function sliceItems<Item>(items: readonly Item[], bounds: SliceBounds, rendering: Rendering): Item[] {
  const { start, step, count } = resolveSlice(bounds, items.length);
  rendering.budget.list(count);
  const result: Item[] = [];
  for (let taken = 0; taken < count; taken++) result.push(items[start + taken * step]!);
  return result;
}

function resolveSlice(bounds: SliceBounds, length: number): { start: number; step: number; count: number } {
  const step = bound(bounds.step) ?? 1;
  if (step === 0) throw valueError('slice step cannot be zero');
  const lowest = step > 0 ? 0 : -1;
  const highest = step > 0 ? length : length - 1;
  const clamp = (value: number | undefined, missing: number) => {
    if (value === undefined) return missing;
    return Math.min(Math.max(value < 0 ? value + length : value, lowest), highest);
  };
  const start = clamp(bound(bounds.start), step > 0 ? lowest : highest);
  const stop = clamp(bound(bounds.stop), step > 0 ? highest : lowest);
  return { start, step, count: Math.max(0, Math.ceil((stop - start) / step)) };
}

function bound(value: Value): number | undefined {
  if (value === null) return undefined;
  const index = asIndex(value);
  if (index === undefined) {
    throw typeError('slice indices must be integers or None or have an __index__ method');
  }
  return index;
}
