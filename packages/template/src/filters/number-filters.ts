import type { Runtime } from '../evaluator/runtime.js';
import { RenderFailure, typeError } from '../failures.js';
import { formatFloat } from '../format/float-format.js';
import { truncate } from '../format/percent-format.js';
import { integerArgument } from '../methods/arguments.js';
import { binary } from '../values/arithmetic.js';
import { isNumeric, numeric } from '../values/equality.js';
import { floorDivide, parseFloatText, roundHalfEven, toFixedHalfEven } from '../values/floats.js';
import {
  chargeDigits,
  isLong,
  longIntegerSteps,
  maxDecimalDigits,
  parseInteger,
  toFloat,
} from '../values/integers.js';
import { Undefined } from '../values/simple-values.js';
import { isString, textOf } from '../values/text.js';
import { isTrue } from '../values/truth.js';
import { typeName } from '../values/type-name.js';
import type { Value } from '../values/value.js';
import { type Filter, filter } from './filter.js';

/** Returns the filters for numbers: `abs`, `int`, `float`, `round` and `filesizeformat`. */
export function numberFilters(): Filter[] {
  return [
    filter('abs', [], (_, value) => {
      if (!isNumeric(value)) throw typeError(`bad operand type for abs(): '${typeName(value)}'`);
      const number = numeric(value);
      return typeof number === 'bigint' ? (number < 0n ? -number : number) : Math.abs(number);
    }),
    filter(
      'int',
      [
        ['default', 0n],
        ['base', 10n],
      ],
      (runtime, value, fallback, base) => toInt(runtime, value, base!) ?? fallback!,
    ),
    filter('float', [['default', 0]], (runtime, value, fallback) => {
      if (value instanceof Undefined) value.fail();
      return tryFloat(runtime, value) ?? fallback!;
    }),
    filter(
      'round',
      [
        ['precision', 0n],
        ['method', 'common'],
      ],
      round,
    ),
    filter('filesizeformat', [['binary', false]], (runtime, value, isBinary) =>
      fileSize(runtime, value, isTrue(isBinary!)),
    ),
  ];
}

function toInt(runtime: Runtime, value: Value, base: Value): bigint | undefined {
  if (value instanceof Undefined) value.fail();
  if (isString(value)) {
    const text = textOf(value);
    chargeDigits(text, runtime.budget);
    const integer = parseInBase(text, base);
    if (integer !== undefined) return runtime.budget.integer(integer);
    const float = parseFloatText(text);
    return float === undefined || Number.isNaN(float) ? undefined : truncate(float);
  }
  if (!isNumeric(value)) return undefined;
  const number = numeric(value);
  if (typeof number === 'bigint') return number;
  return Number.isNaN(number) ? undefined : truncate(number);
}

/** Parses an integer. Returns undefined for an invalid text or base, so that `toInt` tries to parse a float. */
function parseInBase(text: string, base: Value): bigint | undefined {
  if (typeof base !== 'bigint' && typeof base !== 'boolean') return undefined;
  const radix = Number(base);
  return radix === 0 || (radix >= 2 && radix <= 36) ? parseInteger(text, radix) : undefined;
}

/** Implements Python's `float(value)`. Returns undefined where Python raises a TypeError or ValueError. */
function tryFloat(runtime: Runtime, value: Value): number | undefined {
  if (isNumeric(value)) return toFloat(numeric(value));
  if (!isString(value)) return undefined;
  chargeDigits(textOf(value), runtime.budget);
  return parseFloatText(textOf(value));
}

function round(runtime: Runtime, value: Value, precision: Value, method: Value): Value {
  if (value instanceof Undefined && runtime.options.lenientRound) return '';
  const name = isString(method) ? textOf(method) : '';
  if (name === 'common') return roundCommon(runtime, value, precision);
  if (name !== 'ceil' && name !== 'floor') {
    throw new RenderFailure('FilterArgumentError', 'method must be common, ceil or floor');
  }
  const scale = binary('**', 10n, precision, runtime);
  const scaled = binary('*', value, scale, runtime);
  if (!isNumeric(scaled)) throw typeError(`must be real number, not ${typeName(scaled)}`);
  return binary('/', roundTo(numeric(scaled), name), scale, runtime);
}

/** Implements Python's `math.ceil` and `math.floor`. The result is an int. */
function roundTo(value: bigint | number, method: 'ceil' | 'floor'): bigint {
  if (typeof value === 'bigint') return value;
  return truncate(method === 'ceil' ? Math.ceil(value) : Math.floor(value));
}

/** Budget steps for rounding a number (duration: about 0.6 µs for a float). */
const roundSteps = 3;

/** Rounding a float costs `roundSteps` up to this absolute precision, and `longIntegerSteps` beyond it. */
const maxCheapDigits = 22;

/** Implements Python's `round(value, precision)`. A tie is rounded to the even digit. An int stays an int. */
function roundCommon(runtime: Runtime, value: Value, precision: Value): Value {
  if (!isNumeric(value)) throw typeError(`type ${typeName(value)} doesn't define __round__ method`);
  const number = numeric(value);
  if (precision === null) return typeof number === 'bigint' ? number : roundHalf(number);
  const digits = integerArgument(precision);
  const isLarge = typeof number === 'bigint' ? isLong(number) : Math.abs(digits) > maxCheapDigits;
  runtime.budget.charge(isLarge || -digits > maxCheapDigits ? longIntegerSteps : roundSteps);
  return typeof number === 'bigint' ? roundInteger(number, digits) : roundFloat(number, digits);
}

function roundHalf(value: number): bigint {
  if (!Number.isFinite(value)) return truncate(value);
  return BigInt(toFixedHalfEven(value, 0));
}

function roundInteger(value: bigint, digits: number): bigint {
  if (digits >= 0) return value;
  if (-digits > maxDecimalDigits) return 0n;
  const unit = 10n ** BigInt(-digits);
  return roundHalfEven(value, unit) * unit;
}

/**
 * Largest precision with which rounding can change a float. With a larger precision, a float stays unchanged. With a
 * precision below -323, a float becomes zero.
 */
const maxFloatDigits = 323;

function roundFloat(value: number, digits: number): number {
  if (!Number.isFinite(value) || digits > maxFloatDigits) return value;
  if (digits >= 0) return Number(toFixedHalfEven(value, digits));
  if (digits < -maxFloatDigits) return value < 0 || Object.is(value, -0) ? -0 : 0;
  return roundToTens(value, digits);
}

function roundToTens(value: number, digits: number): number {
  const unit = 10n ** BigInt(-digits);
  const whole = BigInt(Math.trunc(Math.abs(value)));
  const quotient = floorDivide(whole, unit);
  const twice = (whole - quotient * unit) * 2n;
  const isAbove = twice > unit || (twice === unit && !Number.isInteger(value));
  const up = isAbove || (twice === unit && quotient % 2n !== 0n);
  const magnitude = Number((up ? quotient + 1n : quotient) * unit);
  return value < 0 || Object.is(value, -0) ? -magnitude : magnitude;
}

const prefixes = ['k', 'M', 'G', 'T', 'P', 'E', 'Z', 'Y'];

function fileSize(runtime: Runtime, value: Value, isBinary: boolean): string {
  if (value instanceof Undefined) value.fail();
  const bytes = tryFloat(runtime, value);
  if (bytes === undefined) throw floatError(value);
  const base = isBinary ? 1024 : 1000;
  if (bytes === 1) return '1 Byte';
  if (bytes < base) return `${truncate(bytes)} Bytes`;
  let index = 0;
  while (index < prefixes.length - 1 && bytes >= base ** (index + 2)) index++;
  const letter = prefixes[index]!;
  const unit = isBinary ? `${letter.toUpperCase()}iB` : `${letter}B`;
  return `${formatFloat((base * bytes) / base ** (index + 2), 'f', 1)} ${unit}`;
}

function floatError(value: Value): RenderFailure {
  return isString(value)
    ? new RenderFailure('ValueError', `could not convert string to float: '${textOf(value)}'`)
    : typeError(`float() argument must be a string or a real number, not '${typeName(value)}'`);
}
