import type { Budget } from '../budget.js';
import { CompileFailure, RenderFailure } from '../failures.js';

/** An integer with this number of decimal digits always fits in 4,096 bits. */
export const maxDecimalDigits = 1_233;

const longLimit = 1n << 512n;

/** Returns true for an integer of more than 512 bits. An operation on it takes longer than the time of one step. */
export function isLong(value: bigint): boolean {
  return value >= longLimit || value <= -longLimit;
}

/** Budget steps for an operation on long integers: a division of 4,096 bits takes up to 8 µs. */
export const longIntegerSteps = 40;

/** Parses the digits of an integer literal. Throws `CompileFailure` for too many digits. */
export function parseIntegerLiteral(digits: string, offset: number): bigint {
  if (digits.length > maxDecimalDigits) throw new CompileFailure('the integer has too many digits', offset);
  return BigInt(digits);
}

/**
 * An integer with at most this number of digits is written in less than 1 µs, so its digits are not charged as steps.
 * The time grows with the square of the number of digits.
 */
const cheapDigits = 40;

/** Writes an integer in decimal. */
export function decimalText(value: bigint, budget: Budget): string {
  const text = value.toString();
  if (text.length > cheapDigits) budget.items(text.length);
  return text;
}

const prefixes: ReadonlyMap<number, RegExp> = new Map([
  [2, /^0b_?/i],
  [8, /^0o_?/i],
  [16, /^0x_?/i],
]);

/**
 * Maximum length of a text that can be an integer: two UTF-16 units for each digit, because digits of some scripts need
 * two, and 4 for sign, prefix and underscore.
 */
const maxLength = 2 * maxDecimalDigits + 4;

/**
 * Charges the steps for converting a text to a number: one for every 16 characters, and one for each of the first
 * `maxDecimalDigits` characters. A text with more digits is not converted to an integer.
 */
export function chargeDigits(text: string, budget: Budget): void {
  budget.characters(text.length);
  budget.items(Math.min(text.length, maxDecimalDigits));
}

/** Implements `int(text, base)`. Returns undefined where Python raises a ValueError, and for text that is too long. */
export function parseInteger(text: string, base: number): bigint | undefined {
  const stripped = text.trim();
  if (stripped.length > maxLength) return undefined;
  const trimmed = toAsciiDigits(stripped);
  const negative = trimmed.startsWith('-');
  let digits = negative || trimmed.startsWith('+') ? trimmed.slice(1) : trimmed;
  let radix = base;
  for (const [candidate, prefix] of prefixes) {
    if ((base === 0 || base === candidate) && prefix.test(digits)) {
      digits = digits.replace(prefix, '');
      radix = candidate;
    }
  }
  if (base === 0 && radix === 0) {
    if (/^0[0_]*[1-9]/.test(digits)) return undefined;
    radix = 10;
  }
  if (digits.length > maxDecimalDigits || !/^[0-9a-z]+(?:_[0-9a-z]+)*$/i.test(digits)) return undefined;
  const value = parseDigits(digits.replaceAll('_', ''), radix);
  return negative && value !== undefined ? -value : value;
}

function parseDigits(digits: string, radix: number): bigint | undefined {
  if (radix === 10) return /^[0-9]+$/.test(digits) ? BigInt(digits) : undefined;
  let value = 0n;
  for (const character of digits) {
    const digit = Number.parseInt(character, radix);
    if (Number.isNaN(digit)) return undefined;
    value = value * BigInt(radix) + BigInt(digit);
  }
  return value;
}

const otherDigit = /\p{Nd}/gu;

/** ASCII digits by the digits of other scripts that have been read. Unicode has fewer than 1,000 digits. */
const asciiDigits = new Map<string, string>();

/** Replaces the decimal digits of all scripts by ASCII digits, because Python reads them as numbers. */
export function toAsciiDigits(text: string): string {
  return /[^\0-\x7f]/.test(text) ? text.replace(otherDigit, asciiDigit) : text;
}

/** Finding the value of a digit takes up to 60 tests, so it is done only once for each digit. */
function asciiDigit(digit: string): string {
  const known = asciiDigits.get(digit);
  if (known !== undefined) return known;
  const ascii = String(decimalValue(digit));
  asciiDigits.set(digit, ascii);
  return ascii;
}

/**
 * Returns the value of a digit in any script. In Unicode, the digits 0 to 9 of a script follow each other and have the
 * property Nd, so the value is the number of Nd characters directly before the digit. This number is taken modulo 10,
 * because the digits of another script can come directly before the 0 of this script.
 */
function decimalValue(digit: string): number {
  const code = digit.codePointAt(0) ?? 0;
  for (let value = 0; value < 10; value++) {
    if (!/\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) return value;
  }
  return (code - firstOfRun(code)) % 10;
}

function firstOfRun(code: number): number {
  let first = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first--;
  return first;
}

/** Converts a number to a float. Throws a `RenderFailure` of the type OverflowError if an integer is too large. */
export function toFloat(value: bigint | number): number {
  const float = Number(value);
  if (typeof value === 'bigint' && !Number.isFinite(float)) {
    throw new RenderFailure('OverflowError', 'int too large to convert to float');
  }
  return float;
}
