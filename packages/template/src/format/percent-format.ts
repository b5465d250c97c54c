import { RenderFailure, typeError, valueError } from '../failures.js';
import { isTrusted, TextBuilder } from '../json/captured-text.js';
import type { Rendering } from '../rendering.js';
import { isNumeric, numeric } from '../values/equality.js';
import { parseFloatText } from '../values/floats.js';
import { chargeDigits, decimalText, toFloat } from '../values/integers.js';
import { escapeToMarkup } from '../values/markup-text.js';
import { repr, str } from '../values/repr.js';
import { Markup, Range, Undefined } from '../values/simple-values.js';
import { codePointLength, isString, sameKind, takeCodePoints, textOf } from '../values/text.js';
import { typeName } from '../values/type-name.js';
import { Dict, Tuple, type Value } from '../values/value.js';
import { formatFloat } from './float-format.js';

/**
 * Implements Python's `format % values`. If the format is HTML Markup, the values are escaped for HTML. In a template
 * for JSON, the format and the values of plain `%s` keep their trust (`json/captured-text.ts`).
 */
export function percentFormat(format: string | Markup, values: Value, rendering: Rendering): Value {
  const formatted = new PercentFormatter(format, values, rendering).run();
  return typeof formatted === 'string' ? sameKind(format, formatted) : formatted;
}

/** Budget steps for one conversion (duration: about 1 µs). */
const conversionSteps = 6;

interface Conversion {
  readonly flags: string;
  readonly width: number;
  readonly precision: number | undefined;
  readonly type: string;
  readonly value: Value;
}

class PercentFormatter {
  readonly #source: string | Markup;
  readonly #format: string;
  readonly #isMarkup: boolean;
  readonly #values: Value;
  readonly #positional: readonly Value[];
  readonly #rendering: Rendering;
  #used = 0;
  #index = 0;

  constructor(format: string | Markup, values: Value, rendering: Rendering) {
    this.#source = format;
    this.#format = textOf(format);
    this.#isMarkup = format instanceof Markup && format.kind === 'html';
    this.#values = values;
    this.#positional = values instanceof Tuple ? values.items : [values];
    this.#rendering = rendering;
  }

  run(): string | Markup {
    const format = this.#format;
    const result = new TextBuilder();
    this.#rendering.budget.characters(format.length);
    for (let at = format.indexOf('%'); at !== -1; at = format.indexOf('%', this.#index)) {
      result.appendPart(this.#source, this.#index, at);
      this.#index = at + 1;
      this.#rendering.budget.charge(conversionSteps);
      const converted = this.#convert();
      result.append(converted);
      this.#rendering.budget.grow(result.length, textOf(converted).length);
    }
    result.appendPart(this.#source, this.#index);
    this.#checkAllUsed();
    return result.value();
  }

  #checkAllUsed(): void {
    if (this.#used >= this.#positional.length || this.#usesMapping) return;
    if (isMapping(this.#values)) return;
    throw typeError('not all arguments converted during string formatting');
  }

  #usesMapping = false;

  #convert(): string | Markup {
    const key = this.#format.charAt(this.#index) === '(' ? this.#readKey() : undefined;
    const flags = this.#readWhile('-+ #0');
    const width = this.#readNumber() ?? 0;
    const precision = this.#format.charAt(this.#index) === '.' ? this.#readPrecision() : undefined;
    this.#readWhile('hlL');
    const type = this.#format.charAt(this.#index++);
    if (type === '') throw valueError('incomplete format');
    if (type === '%') return '%';
    const value = key === undefined ? this.#nextValue() : this.#lookUp(key);
    const wide = width < 0;
    return this.#render({
      flags: wide ? `${flags}-` : flags,
      width: Math.abs(width),
      precision,
      type,
      value,
    });
  }

  #readKey(): string {
    const start = this.#index + 1;
    let depth = 1;
    let end = start;
    for (; end < this.#format.length && depth > 0; end++) {
      if (this.#format.charAt(end) === '(') depth++;
      if (this.#format.charAt(end) === ')') depth--;
    }
    if (depth > 0) throw valueError('incomplete format key');
    this.#index = end;
    return this.#format.slice(start, end - 1);
  }

  #readWhile(characters: string): string {
    const start = this.#index;
    while (this.#index < this.#format.length && characters.includes(this.#format.charAt(this.#index)))
      this.#index++;
    return this.#format.slice(start, this.#index);
  }

  #readNumber(): number | undefined {
    if (this.#format.charAt(this.#index) === '*') {
      this.#index++;
      const value = this.#nextValue();
      if (typeof value !== 'bigint' && typeof value !== 'boolean') throw typeError('* wants int');
      return Number(value);
    }
    const digits = this.#readWhile('0123456789');
    return digits === '' ? undefined : Number(digits);
  }

  #readPrecision(): number {
    this.#index++;
    return Math.max(0, this.#readNumber() ?? 0);
  }

  #nextValue(): Value {
    const value = this.#positional[this.#used++];
    if (value === undefined) throw typeError('not enough arguments for format string');
    return value;
  }

  #lookUp(key: string): Value {
    this.#usesMapping = true;
    if (!(this.#values instanceof Dict)) throw typeError('format requires a mapping');
    const value = this.#values.getString(key);
    if (value === undefined) throw new RenderFailure('KeyError', `'${key}'`);
    return value;
  }

  #render(conversion: Conversion): string | Markup {
    const { width, precision = 0, type, value } = conversion;
    this.#rendering.budget.string(width);
    if (precision > this.#rendering.budget.limits.stringLength) this.#rendering.budget.string(precision);
    switch (type) {
      case 's':
        if (isTrusted(value) && this.#isPlain(conversion)) return value;
        return padText(this.#renderText(conversion), conversion);
      case 'r':
      case 'a':
        return padText(this.#renderText(conversion), conversion);
      case 'c':
        return padText(renderCharacter(conversion.value), conversion);
      case 'd':
      case 'i':
      case 'u':
        return padNumber(renderInteger(conversion, this.#isMarkup, this.#rendering), conversion);
      case 'x':
      case 'X':
      case 'o':
        return padNumber(renderRadix(conversion), conversion);
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
        this.#rendering.budget.string(precision);
        if (isString(value)) chargeDigits(textOf(value), this.#rendering.budget);
        return padNumber(renderFloat(conversion, this.#isMarkup), conversion);
      default:
        throw valueError(
          `unsupported format character '${type}' (0x${type.charCodeAt(0).toString(16)}) at index ${this.#index - 1}`,
        );
    }
  }

  #isPlain({ width, precision }: Conversion): boolean {
    return !this.#isMarkup && width === 0 && precision === undefined;
  }

  #renderText({ value, type, precision }: Conversion): string {
    const plain = type === 's' ? str(value, this.#rendering) : repr(value, this.#rendering);
    const ascii = type === 'a' ? toAscii(plain) : plain;
    const text =
      this.#isMarkup && !(value instanceof Markup) ? escapeToMarkup(ascii, this.#rendering).text : ascii;
    return precision === undefined ? text : takeCodePoints(text, precision);
  }
}

function isMapping(value: Value): boolean {
  return (
    value instanceof Dict || Array.isArray(value) || value instanceof Range || value instanceof Undefined
  );
}

function toAscii(text: string): string {
  return text.replace(/[^\0-\x7f]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code <= 0xff) return `\\x${code.toString(16)}`;
    return code <= 0xffff
      ? `\\u${code.toString(16).padStart(4, '0')}`
      : `\\U${code.toString(16).padStart(8, '0')}`;
  });
}

function renderCharacter(value: Value): string {
  if (isString(value)) {
    if (codePointLength(textOf(value)) !== 1) throw typeError('%c requires int or char');
    return textOf(value);
  }
  if (typeof value !== 'bigint' && typeof value !== 'boolean') throw typeError('%c requires int or char');
  const code = Number(value);
  if (code < 0 || code > 0x10ffff) throw new RenderFailure('OverflowError', '%c arg not in range(0x110000)');
  return String.fromCodePoint(code);
}

function renderInteger(
  { value, type, precision, flags }: Conversion,
  isMarkup: boolean,
  rendering: Rendering,
): string {
  const integer = toInteger(value, type, isMarkup);
  const digits = decimalText(integer < 0n ? -integer : integer, rendering.budget).padStart(
    precision ?? 0,
    '0',
  );
  return signOf(integer < 0n, flags) + digits;
}

function toInteger(value: Value, type: string, isMarkup: boolean): bigint {
  if (value instanceof Undefined && isMarkup) value.fail();
  if (!isNumeric(value))
    throw typeError(`%${type} format: a real number is required, not ${typeName(value)}`);
  const number = numeric(value);
  return typeof number === 'bigint' ? number : truncate(number);
}

/** Implements Python's `int(value)` for a float. Throws for NaN and infinite values. */
export function truncate(value: number): bigint {
  if (Number.isNaN(value)) throw valueError('cannot convert float NaN to integer');
  if (!Number.isFinite(value)) {
    throw new RenderFailure('OverflowError', 'cannot convert float infinity to integer');
  }
  return BigInt(Math.trunc(value));
}

function renderRadix({ value, type, precision, flags }: Conversion): string {
  if (typeof value !== 'bigint' && typeof value !== 'boolean') {
    throw typeError(`%${type} format: an integer is required, not ${typeName(value)}`);
  }
  const integer = BigInt(value);
  const radix = type === 'o' ? 8 : 16;
  const digits = (integer < 0n ? -integer : integer).toString(radix).padStart(precision ?? 0, '0');
  const prefix = flags.includes('#') ? (type === 'o' ? '0o' : '0x') : '';
  const text = prefix + digits;
  return signOf(integer < 0n, flags) + (type === 'X' ? text.toUpperCase() : text);
}

function renderFloat({ value, type, precision = 6, flags }: Conversion, isMarkup: boolean): string {
  const number = realNumber(value, isMarkup);
  const text = formatFloat(Math.abs(number), type, precision, flags.includes('#'));
  return signOf(number < 0 || Object.is(number, -0), flags) + text;
}

function realNumber(value: Value, isMarkup: boolean): number {
  if (isNumeric(value)) return toFloat(numeric(value));
  if (value instanceof Undefined) value.fail();
  const parsed = isMarkup && isString(value) ? parseFloatText(textOf(value)) : undefined;
  if (parsed === undefined) throw typeError(`must be real number, not ${typeName(value)}`);
  return parsed;
}

function signOf(negative: boolean, flags: string): string {
  if (negative) return '-';
  return flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
}

function padText(text: string, { width, flags }: Conversion): string {
  const missing = width - codePointLength(text);
  if (missing <= 0) return text;
  return flags.includes('-') ? text + ' '.repeat(missing) : ' '.repeat(missing) + text;
}

/** Pads a number. Padding zeros follow the sign and the radix prefix. */
function padNumber(text: string, conversion: Conversion): string {
  const { width, flags } = conversion;
  if (!flags.includes('0') || flags.includes('-')) return padText(text, conversion);
  const [, lead = '', digits = ''] = /^([+\- ]?(?:0[xXo])?)([\s\S]*)$/.exec(text) ?? [];
  return lead + '0'.repeat(Math.max(0, width - text.length)) + digits;
}
