import type { Rendering } from '../rendering.js';
import { floatRepr } from './floats.js';
import { decimalText } from './integers.js';
import { Markup, Range, Undefined } from './simple-values.js';
import { hasSurrogates, isEscaped } from './text.js';
import { Dict, NativeObject, Tuple, type Value } from './value.js';

/** Implements Python's `str(value)`. */
export function str(value: Value, rendering: Rendering): string {
  if (typeof value === 'string') return value;
  if (value instanceof Markup) return value.text;
  if (value instanceof Undefined) return '';
  return repr(value, rendering);
}

/** Converts each value to a string as `str` does, and returns all strings as one text. */
export function concatenate(values: readonly Value[], rendering: Rendering): string {
  let text = '';
  for (const value of values) {
    const part = str(value, rendering);
    text += part;
    rendering.budget.grow(text.length, part.length);
  }
  return text;
}

/** Implements Python's `repr(value)`. */
export function repr(value: Value, rendering: Rendering): string {
  switch (typeof value) {
    case 'string':
      return stringRepr(value, rendering);
    case 'bigint':
      return decimalText(value, rendering.budget);
    case 'number':
      return floatRepr(value);
    case 'boolean':
      return value ? 'True' : 'False';
    default:
      return objectRepr(value, rendering);
  }
}

export function reprItems(items: readonly Value[], rendering: Rendering): string {
  rendering.budget.items(items.length);
  let text = '';
  for (const item of items) {
    text += (text === '' ? '' : ', ') + repr(item, rendering);
    if (text.length > rendering.budget.limits.stringLength) break;
  }
  rendering.budget.string(text.length);
  return text;
}

function objectRepr(value: Exclude<Value, string | bigint | number | boolean>, rendering: Rendering): string {
  if (value === null) return 'None';
  if (Array.isArray(value))
    return nested(value, rendering, '[...]', () => `[${reprItems(value, rendering)}]`);
  if (value instanceof Tuple) {
    const { items } = value;
    return nested(value, rendering, '(...)', () =>
      items.length === 1 ? `(${repr(items[0]!, rendering)},)` : `(${reprItems(items, rendering)})`,
    );
  }
  if (value instanceof Dict) return nested(value, rendering, '{...}', () => dictRepr(value, rendering));
  if (value instanceof Markup) {
    const text = stringRepr(value.text, rendering);
    return isEscaped(value, rendering) ? `Markup(${text})` : text;
  }
  if (value instanceof Range) {
    return value.step === 1n
      ? `range(${value.start}, ${value.stop})`
      : `range(${value.start}, ${value.stop}, ${value.step})`;
  }
  if (value instanceof NativeObject) return nested(value, rendering, '...', () => value.repr(rendering));
  return 'Undefined';
}

/** Prints a container. A container inside itself is printed as dots, as in Python. */
function nested(value: object, rendering: Rendering, cycle: string, print: () => string): string {
  if (rendering.printing.has(value)) return cycle;
  rendering.printing.add(value);
  rendering.budget.descend();
  const text = print();
  rendering.budget.ascend();
  rendering.printing.delete(value);
  return text;
}

function dictRepr(dict: Dict, rendering: Rendering): string {
  rendering.budget.items(dict.size);
  const parts: string[] = [];
  let length = 0;
  for (const [key, value] of dict.entries()) {
    const part = `${repr(key, rendering)}: ${repr(value, rendering)}`;
    parts.push(part);
    length += part.length + 2;
    rendering.budget.grow(length, part.length);
  }
  return `{${parts.join(', ')}}`;
}

const plain = /^[ !#-&(-[\]-~]*$/;
const unprintable = /[\p{C}\p{Z}]/u;

function stringRepr(text: string, rendering: Rendering): string {
  rendering.budget.string(text.length);
  if (plain.test(text)) return `'${text}'`;
  rendering.budget.items(text.length);
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
