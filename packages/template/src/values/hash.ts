import type { Budget } from '../budget.js';
import { typeError } from '../failures.js';
import { DictView } from './dict-views.js';
import { Markup } from './markup.js';
import { NativeObject } from './native-object.js';
import { Range } from './range.js';
import { typeName } from './type-name.js';
import { Undefined } from './undefined.js';
import { Tuple, type Value } from './value.js';

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

function stringKey(value: string, budget: Budget): string {
  budget.characters(value.length);
  return value.charCodeAt(0) === 0 ? `\0s${value}` : value;
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
  if (value instanceof DictView ? value.kind === 'values' : value instanceof NativeObject) return value;
  throw typeError(`unhashable type: '${typeName(value as Value)}'`);
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
