import { RenderFailure, valueError } from '../failures.js';
import { isTrusted, TextBuilder } from '../json/captured-text.js';
import type { Rendering } from '../rendering.js';
import { escapeToMarkup } from '../values/markup-text.js';
import { repr, str } from '../values/repr.js';
import { Markup } from '../values/simple-values.js';
import { sameKind, textOf } from '../values/text.js';
import type { Value } from '../values/value.js';
import { formatValue } from './format-spec.js';

export interface FormatArguments {
  readonly positional: readonly Value[];
  keyword(name: string): Value | undefined;
  readonly lookups: AttributeLookups;
}

/** Sandboxed look-ups for fields such as `{0.name}` and `{0[key]}`. */
export interface AttributeLookups {
  getAttribute(value: Value, name: string, rendering: Rendering): Value;
  getItem(value: Value, key: Value, rendering: Rendering): Value;
}

/**
 * Implements `str.format` with sandboxed look-ups. If the format is HTML Markup, the values are escaped for HTML. In a
 * template for JSON, the format and the values of plain fields keep their trust (`json/captured-text.ts`).
 */
export function strFormat(format: string | Markup, args: FormatArguments, rendering: Rendering): Value {
  const isMarkup = format instanceof Markup && format.kind === 'html';
  const formatter = new StrFormatter(args, rendering, isMarkup);
  const formatted = formatter.format(format, 2);
  return typeof formatted === 'string' ? sameKind(format, formatted) : formatted;
}

/** Budget steps for one replacement field (duration: about 1 µs). */
const fieldSteps = 6;

class StrFormatter {
  readonly #args: FormatArguments;
  readonly #rendering: Rendering;
  readonly #isMarkup: boolean;
  /** Argument index for the next field without an explicit number. Null after a field that has an explicit number. */
  #automatic: number | null = 0;

  constructor(args: FormatArguments, rendering: Rendering, isMarkup: boolean) {
    this.#args = args;
    this.#rendering = rendering;
    this.#isMarkup = isMarkup;
  }

  /** Formats a text. `depth` is the number of further levels at which fields may be nested. */
  format(source: string | Markup, depth: number): string | Markup {
    const text = textOf(source);
    if (depth < 0) throw valueError('Max string recursion exceeded');
    this.#rendering.budget.characters(text.length);
    const result = new TextBuilder();
    let index = 0;
    while (index < text.length) {
      const at = nextBrace(text, index);
      result.appendPart(source, index, at);
      if (at >= text.length) break;
      const brace = text.charAt(at);
      if (text.charAt(at + 1) === brace) {
        result.append(brace);
        index = at + 2;
        continue;
      }
      if (brace === '}') throw valueError("Single '}' encountered in format string");
      const end = fieldEnd(text, at + 1);
      this.#rendering.budget.charge(fieldSteps);
      const formatted = this.#formatField(text.slice(at + 1, end), depth);
      result.append(formatted);
      this.#rendering.budget.grow(result.length, textOf(formatted).length);
      index = end + 1;
    }
    return result.value();
  }

  #formatField(field: string, depth: number): string | Markup {
    const { name, conversion, spec } = splitField(field);
    const value = this.#convert(this.#getField(name), conversion);
    const expanded = textOf(this.format(spec, depth - 1));
    if (!this.#isMarkup) {
      return isTrusted(value) && expanded === '' ? value : formatValue(value, expanded, this.#rendering);
    }
    if (value instanceof Markup && expanded !== '') {
      throw valueError('Unsupported format specification for Markup.');
    }
    if (value instanceof Markup) return value.text;
    return escapeToMarkup(formatValue(value, expanded, this.#rendering), this.#rendering).text;
  }

  #getField(name: string): Value {
    const end = /[.[]/.exec(name)?.index ?? name.length;
    let value = this.#getValue(name.slice(0, end));
    let index = end;
    while (index < name.length) {
      this.#rendering.budget.step();
      if (name.charAt(index) === '.') {
        const stop = nextOf(name, index + 1);
        if (stop === index + 1) throw valueError('Empty attribute in format string');
        value = this.#args.lookups.getAttribute(value, name.slice(index + 1, stop), this.#rendering);
        index = stop;
      } else if (name.charAt(index) === '[') {
        const stop = name.indexOf(']', index);
        if (stop === -1) throw valueError("Missing ']' in format string");
        if (stop === index + 1) throw valueError('Empty attribute in format string');
        value = this.#args.lookups.getItem(value, itemKey(name.slice(index + 1, stop)), this.#rendering);
        index = stop + 1;
      } else {
        throw valueError("Only '.' or '[' may follow ']' in format field specifier");
      }
    }
    return value;
  }

  #getValue(first: string): Value {
    if (first === '') {
      if (this.#automatic === null) {
        throw valueError('cannot switch from manual field specification to automatic field numbering');
      }
      return this.#positional(this.#automatic++);
    }
    if (!/^\d+$/.test(first)) return this.#keyword(first);
    if (this.#automatic !== null && this.#automatic > 0) {
      throw valueError('cannot switch from automatic field numbering to manual field specification');
    }
    this.#automatic = null;
    return this.#positional(Number(first));
  }

  #positional(index: number): Value {
    const value = this.#args.positional[index];
    if (value === undefined) {
      throw new RenderFailure(
        'IndexError',
        `Replacement index ${index} out of range for positional args tuple`,
      );
    }
    return value;
  }

  #keyword(name: string): Value {
    const value = this.#args.keyword(name);
    if (value === undefined) throw new RenderFailure('KeyError', `'${name}'`);
    return value;
  }

  #convert(value: Value, conversion: string | undefined): Value {
    switch (conversion) {
      case undefined:
        return value;
      case 's':
        return isTrusted(value) && !this.#isMarkup ? value : str(value, this.#rendering);
      case 'r':
      case 'a':
        return repr(value, this.#rendering);
      default:
        throw valueError(`Unknown conversion specifier ${conversion}`);
    }
  }
}

function nextBrace(text: string, from: number): number {
  let index = from;
  while (index < text.length && text.charAt(index) !== '{' && text.charAt(index) !== '}') index++;
  return index;
}

/** Returns the index of the brace that closes the field starting at `from`. Braces inside `[ ]` do not count. */
function fieldEnd(text: string, from: number): number {
  let depth = 1;
  for (let index = from; index < text.length; index++) {
    const character = text.charAt(index);
    if (character === '[') {
      const close = text.indexOf(']', index);
      if (close === -1) break;
      index = close;
    } else if (character === '{') {
      depth++;
    } else if (character === '}' && --depth === 0) {
      return index;
    }
  }
  throw valueError(
    from === text.length ? "Single '{' encountered in format string" : "expected '}' before end of string",
  );
}

function splitField(field: string): { name: string; conversion: string | undefined; spec: string } {
  let end = 0;
  while (end < field.length && field.charAt(end) !== '!' && field.charAt(end) !== ':') {
    const close = field.charAt(end) === '[' ? field.indexOf(']', end) : -1;
    end = close === -1 ? end + 1 : close + 1;
  }
  const name = field.slice(0, end);
  if (name.includes('{')) throw valueError("unexpected '{' in field name");
  if (field.charAt(end) !== '!') return { name, conversion: undefined, spec: field.slice(end + 1) };
  const conversion = field.charAt(end + 1);
  if (conversion === '') throw valueError('end of string while looking for conversion specifier');
  const after = field.charAt(end + 2);
  if (after !== '' && after !== ':') throw valueError("expected ':' after conversion specifier");
  return { name, conversion, spec: field.slice(end + 3) };
}

function nextOf(name: string, from: number): number {
  let index = from;
  while (index < name.length && name.charAt(index) !== '.' && name.charAt(index) !== '[') index++;
  return index;
}

function itemKey(text: string): Value {
  return /^\d+$/.test(text) && text.length < 16 ? BigInt(text) : text;
}
