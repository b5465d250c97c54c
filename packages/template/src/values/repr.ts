import type { Runtime } from '../evaluator/runtime.js';
import { Dict } from './dict.js';
import { floatRepr } from './floats.js';
import { decimalText } from './integers.js';
import { Markup } from './markup.js';
import { NativeObject } from './native-object.js';
import { Range } from './range.js';
import { hasSurrogates } from './text.js';
import { Undefined } from './undefined.js';
import { Tuple, type Value } from './value.js';

/** Python's `str(value)`. */
export function str(value: Value, runtime: Runtime): string {
  if (typeof value === 'string') return value;
  if (value instanceof Markup) return value.text;
  if (value instanceof Undefined) return '';
  return repr(value, runtime);
}

/** Python's `repr(value)`. */
export function repr(value: Value, runtime: Runtime): string {
  switch (typeof value) {
    case 'string':
      return stringRepr(value, runtime);
    case 'bigint':
      return decimalText(value, runtime.budget);
    case 'number':
      return floatRepr(value);
    case 'boolean':
      return value ? 'True' : 'False';
    default:
      return objectRepr(value, runtime);
  }
}

export function reprItems(items: readonly Value[], runtime: Runtime): string {
  runtime.budget.items(items.length);
  let text = '';
  for (const item of items) {
    text += (text === '' ? '' : ', ') + repr(item, runtime);
    if (text.length > runtime.budget.limits.stringLength) break;
  }
  runtime.budget.string(text.length);
  return text;
}

function objectRepr(value: Exclude<Value, string | bigint | number | boolean>, runtime: Runtime): string {
  if (value === null) return 'None';
  if (Array.isArray(value)) return nested(value, runtime, '[...]', () => `[${reprItems(value, runtime)}]`);
  if (value instanceof Tuple) {
    const { items } = value;
    return nested(value, runtime, '(...)', () =>
      items.length === 1 ? `(${repr(items[0]!, runtime)},)` : `(${reprItems(items, runtime)})`,
    );
  }
  if (value instanceof Dict) return nested(value, runtime, '{...}', () => dictRepr(value, runtime));
  if (value instanceof Markup) return `Markup(${stringRepr(value.text, runtime)})`;
  if (value instanceof Range) {
    return value.step === 1n
      ? `range(${value.start}, ${value.stop})`
      : `range(${value.start}, ${value.stop}, ${value.step})`;
  }
  if (value instanceof NativeObject) return nested(value, runtime, '...', () => value.repr(runtime));
  return 'Undefined';
}

/** A container inside itself prints as dots, as in Python. */
function nested(value: object, runtime: Runtime, cycle: string, print: () => string): string {
  if (runtime.printing.has(value)) return cycle;
  runtime.printing.add(value);
  runtime.budget.descend();
  const text = print();
  runtime.budget.ascend();
  runtime.printing.delete(value);
  return text;
}

function dictRepr(dict: Dict, runtime: Runtime): string {
  runtime.budget.items(dict.size);
  const parts: string[] = [];
  let length = 0;
  for (const [key, value] of dict.entries()) {
    const part = `${repr(key, runtime)}: ${repr(value, runtime)}`;
    parts.push(part);
    length += part.length + 2;
    runtime.budget.grow(length, part.length);
  }
  return `{${parts.join(', ')}}`;
}

const plain = /^[ !#-&(-[\]-~]*$/;
const unprintable = /[\p{C}\p{Z}]/u;

function stringRepr(text: string, runtime: Runtime): string {
  runtime.budget.string(text.length);
  if (plain.test(text)) return `'${text}'`;
  runtime.budget.items(text.length);
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  let result = quote;
  for (const character of text) result += reprCharacter(character, quote);
  return result + quote;
}

function reprCharacter(character: string, quote: string): string {
  switch (character) {
    case '\\':
      return '\\\\';
    case '\n':
      return '\\n';
    case '\r':
      return '\\r';
    case '\t':
      return '\\t';
    case ' ':
      return ' ';
    default:
      if (character === quote) return `\\${quote}`;
      return unprintable.test(character) ? hexEscape(character) : character;
  }
}

function hexEscape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, '0')}`;
  if (!hasSurrogates(character) || character.length === 1) return `\\u${code.toString(16).padStart(4, '0')}`;
  return `\\U${code.toString(16).padStart(8, '0')}`;
}
