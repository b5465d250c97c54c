import { RenderFailure, typeError, valueError } from '../failures.js';
import type { Rendering } from '../rendering.js';
import { isNumeric, numeric } from '../values/equality.js';
import { floatRepr } from '../values/floats.js';
import { decimalText, toFloat } from '../values/integers.js';
import { str } from '../values/repr.js';
import { codePointLength, isString, takeCodePoints, textOf } from '../values/text.js';
import { typeName } from '../values/type-name.js';
import type { Value } from '../values/value.js';
import { formatFloat } from './float-format.js';

interface Spec {
  readonly fill: string;
  readonly align: string;
  readonly sign: string;
  /** True for the flag `z`: a number that is rounded to zero has no minus sign. */
  readonly noNegativeZero: boolean;
  readonly alternate: boolean;
  readonly width: number;
  readonly grouping: string;
  readonly precision: number | undefined;
  readonly type: string;
}

const specPattern = /^(?:([\s\S])?([<>=^]))?([+\- ])?(z)?(#)?(0)?(\d*)([,_])?(?:\.(\d+))?([\s\S])?$/u;

/** Implements Python's `format(value, spec)`. */
export function formatValue(value: Value, text: string, rendering: Rendering): string {
  if (text === '') return str(value, rendering);
  const isNumber = isNumeric(value) && typeof value !== 'boolean';
  if (!isString(value) && !isNumber && typeof value !== 'boolean') {
    throw typeError(`unsupported format string passed to ${typeName(value)}.__format__`);
  }
  const spec = parseSpec(text, value, rendering);
  if (isString(value)) return formatText(textOf(value), spec);
  const number = numeric(value as bigint | number | boolean);
  return typeof number === 'bigint' ? formatInteger(number, spec, rendering) : formatReal(number, spec);
}

function parseSpec(text: string, value: Value, rendering: Rendering): Spec {
  const match = specPattern.exec(text);
  if (match === null)
    throw valueError(`Invalid format specifier '${text}' for object of type '${typeName(value)}'`);
  const [, fill, align, sign = '', z, alternate, zero, width = '', grouping = '', precision, type = ''] =
    match;
  const spec: Spec = {
    fill: fill ?? (zero === undefined ? ' ' : '0'),
    align: align ?? (isString(value) ? '<' : zero === undefined ? '>' : '='),
    sign,
    noNegativeZero: z !== undefined,
    alternate: alternate !== undefined,
    width: width === '' ? 0 : Number(width),
    grouping,
    precision: precision === undefined ? undefined : Number(precision),
    type,
  };
  rendering.budget.string(spec.width);
  rendering.budget.characters(spec.width);
  rendering.budget.string(spec.precision ?? 0);
  return spec;
}

function unknownCode(type: string, what: string): RenderFailure {
  return valueError(`Unknown format code '${type}' for object of type '${what}'`);
}

function formatText(text: string, spec: Spec): string {
  if (spec.type !== '' && spec.type !== 's') throw unknownCode(spec.type, 'str');
  if (spec.sign !== '') throw valueError('Sign not allowed in string format specifier');
  if (spec.noNegativeZero) {
    throw valueError('Negative zero coercion (z) not allowed in string format specifier');
  }
  if (spec.alternate) throw valueError('Alternate form (#) not allowed in string format specifier');
  if (spec.grouping !== '') throw valueError(`Cannot specify '${spec.grouping}' with 's'.`);
  if (spec.align === '=') throw valueError("'=' alignment not allowed in string format specifier");
  return align(spec.precision === undefined ? text : takeCodePoints(text, spec.precision), spec);
}

const radixOf: ReadonlyMap<string, number> = new Map([
  ['b', 2],
  ['o', 8],
  ['x', 16],
  ['X', 16],
]);

function formatInteger(value: bigint, spec: Spec, rendering: Rendering): string {
  const { type } = spec;
  if ('eEfFgG%'.includes(type) && type !== '') return formatReal(toFloat(value), spec);
  if (spec.noNegativeZero) {
    throw valueError('Negative zero coercion (z) not allowed in format specifier with integer format code');
  }
  if (spec.precision !== undefined) throw valueError('Precision not allowed in integer format specifier');
  if (type === 'c') return formatCharacter(value, spec);
  if (type !== '' && type !== 'd' && type !== 'n' && !radixOf.has(type)) throw unknownCode(type, 'int');
  const radix = radixOf.get(type) ?? 10;
  if (spec.grouping === ',' && radix !== 10) throw valueError(`Cannot specify ',' with '${type}'.`);
  const absolute = value < 0n ? -value : value;
  const magnitude = radix === 10 ? decimalText(absolute, rendering.budget) : absolute.toString(radix);
  const digits = type === 'X' ? magnitude.toUpperCase() : magnitude;
  const prefix = spec.alternate && radix !== 10 ? `0${type}` : '';
  return assemble(
    { sign: signOf(value < 0n, spec), prefix, whole: digits, rest: '' },
    spec,
    radix === 10 ? 3 : 4,
  );
}

function formatCharacter(value: bigint, spec: Spec): string {
  if (spec.sign !== '') throw valueError("Sign not allowed with integer format specifier 'c'");
  if (value < 0n || value > 0x10ffffn)
    throw new RenderFailure('OverflowError', '%c arg not in range(0x110000)');
  return align(String.fromCodePoint(Number(value)), {
    ...spec,
    align: spec.align === '=' ? '>' : spec.align,
  });
}

function formatReal(value: number, spec: Spec): string {
  const { type } = spec;
  if (type !== '' && !'eEfFgG%n'.includes(type)) throw unknownCode(type, 'float');
  const text = realText(Math.abs(value), spec);
  const [, whole = '', rest = ''] = /^(\d*)([\s\S]*)$/.exec(text) ?? [];
  const isZero = spec.noNegativeZero && /^[0.]+(?:[eE%]|$)/.test(text);
  const negative = !isZero && (value < 0 || Object.is(value, -0));
  return assemble({ sign: signOf(negative, spec), prefix: '', whole, rest }, spec, 3);
}

function realText(magnitude: number, { type, precision, alternate }: Spec): string {
  switch (type) {
    case '%':
      return `${formatFloat(magnitude * 100, 'f', precision ?? 6, alternate)}%`;
    case '':
      return precision === undefined ? floatRepr(magnitude) : shortFloat(magnitude, precision);
    case 'n':
      return formatFloat(magnitude, 'g', precision ?? 6, alternate);
    default:
      return formatFloat(magnitude, type, precision ?? 6, alternate);
  }
}

/** Formats a float if the format spec has no type: like `g`, but with at least one decimal. */
function shortFloat(magnitude: number, precision: number): string {
  if (!Number.isFinite(magnitude)) return floatRepr(magnitude);
  const digits = Math.max(precision, 1);
  const text = formatFloat(magnitude, 'g', digits);
  if (text.includes('e') || text.includes('.')) return text;
  return text.length >= digits ? formatFloat(magnitude, 'e', digits - 1).replace(/\.?0*e/, 'e') : `${text}.0`;
}

function signOf(negative: boolean, spec: Spec): string {
  if (negative) return '-';
  return spec.sign === '+' ? '+' : spec.sign === ' ' ? ' ' : '';
}

interface NumberParts {
  readonly sign: string;
  readonly prefix: string;
  /** Digits before the decimal point. Only these are grouped. */
  readonly whole: string;
  readonly rest: string;
}

function assemble(parts: NumberParts, spec: Spec, groupSize: number): string {
  const lead = parts.sign + parts.prefix;
  const zeroPadded = spec.align === '=' && spec.fill === '0';
  const minLength = zeroPadded ? spec.width - lead.length - parts.rest.length : 0;
  const whole =
    spec.grouping === ''
      ? parts.whole.padStart(minLength, '0')
      : group(parts.whole, spec.grouping, groupSize, minLength);
  const text = lead + whole + parts.rest;
  if (spec.align !== '=') return align(text, spec);
  return lead + spec.fill.repeat(Math.max(0, spec.width - codePointLength(text))) + whole + parts.rest;
}

/** Adds zeros up to the length `minLength`, and separators between groups. A separator is never the first character. */
function group(digits: string, separator: string, size: number, minLength: number): string {
  const groups: string[] = [];
  let length = 0;
  for (let end = digits.length; end > 0 || length < minLength; end -= size) {
    const taken = end > 0 ? digits.slice(Math.max(0, end - size), end) : '';
    const space = minLength - length - (groups.length > 0 ? 1 : 0);
    const wanted = Math.min(size, Math.max(space, taken.length, 1));
    groups.push(taken.padStart(wanted, '0'));
    length += wanted + (groups.length > 1 ? 1 : 0);
  }
  return groups.reverse().join(separator);
}

function align(text: string, { fill, align: side, width }: Spec): string {
  const missing = width - codePointLength(text);
  if (missing <= 0) return text;
  if (side === '<') return text + fill.repeat(missing);
  if (side !== '^') return fill.repeat(missing) + text;
  const left = Math.floor(missing / 2);
  return fill.repeat(left) + text + fill.repeat(missing - left);
}
