import { toAsciiDigits } from './integers.js';

/** Implements Python's `repr` of a float: the shortest text that converts to the same float. */
export function floatRepr(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Object.is(value, -0)) return '-0.0';
  const magnitude = Math.abs(value);
  if (magnitude !== 0 && (magnitude < 1e-4 || magnitude >= 1e16)) return exponential(value);
  const text = String(value);
  return text.includes('.') ? text : `${text}.0`;
}

function exponential(value: number): string {
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  return `${digits}e${padExponent(exponent)}`;
}

/** Writes an exponent as C does, with a sign and at least two digits. */
export function padExponent(exponent: string): string {
  const sign = exponent.startsWith('-') ? '-' : '+';
  return sign + exponent.replace(/^[+-]/, '').padStart(2, '0');
}

const floatPattern =
  /^[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?$/;
const specialPattern = /^([+-]?)(inf|infinity|nan)$/i;
const maxLength = 5_000;

/** Implements `float(text)`. Returns undefined where Python raises a ValueError, and for text over 5,000 characters. */
export function parseFloatText(text: string): number | undefined {
  const stripped = text.trim();
  if (stripped.length > maxLength) return undefined;
  const trimmed = toAsciiDigits(stripped);
  const special = specialPattern.exec(trimmed);
  if (special !== null) {
    if (special[2]?.toLowerCase() === 'nan') return Number.NaN;
    return special[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  }
  return floatPattern.test(trimmed) ? Number(trimmed.replaceAll('_', '')) : undefined;
}

/**
 * Formats a float with `digits` decimals like C's `%.nf`, which rounds ties of the exact binary value to even.
 * JavaScript's `toFixed` rounds ties up, so it is used only for values that cannot be ties: whole numbers, and values
 * with more than `digits + 1` binary places.
 */
export function toFixedHalfEven(value: number, digits: number): string {
  const magnitude = Math.abs(value);
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  if (digits <= 100 && magnitude < 1e21 && !isTie(magnitude, digits)) {
    return sign + magnitude.toFixed(digits);
  }
  return sign + exactFixed(magnitude, digits);
}

function isTie(magnitude: number, digits: number): boolean {
  return Number.isInteger(magnitude * 2 ** (digits + 1)) && !Number.isInteger(magnitude);
}

function exactFixed(magnitude: number, digits: number): string {
  const { numerator, denominator } = exactRatio(magnitude);
  const scaled = roundHalfEven(numerator * 10n ** BigInt(digits), denominator);
  if (digits === 0) return scaled.toString();
  const text = scaled.toString().padStart(digits + 1, '0');
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/** Returns the exact value of a finite float as a fraction in lowest terms. */
export function exactRatio(value: number): { numerator: bigint; denominator: bigint } {
  const { mantissa, exponent } = decompose(value);
  if (exponent >= 0) return { numerator: mantissa << BigInt(exponent), denominator: 1n };
  return { numerator: mantissa, denominator: 1n << BigInt(-exponent) };
}

/** Returns a finite float as `mantissa * 2 ** exponent`. With a negative exponent, the mantissa is odd. */
export function decompose(value: number): { mantissa: bigint; exponent: number } {
  const { biased, fraction } = floatBits(value);
  let mantissa = biased === 0 ? fraction : fraction + 2 ** 52;
  let exponent = Math.max(biased, 1) - 1_075;
  while (exponent < 0 && mantissa % 2 === 0 && mantissa !== 0) {
    mantissa /= 2;
    exponent++;
  }
  if (mantissa === 0) exponent = 0;
  return { mantissa: BigInt(value < 0 ? -mantissa : mantissa), exponent };
}

const view = new DataView(new ArrayBuffer(8));

/** Returns the fields of an IEEE 754 double: biased exponent (11 bits) and fraction (52 bits). */
export function floatBits(value: number): { biased: number; fraction: number } {
  view.setFloat64(0, value);
  const high = view.getUint32(0);
  return { biased: (high >>> 20) & 0x7ff, fraction: (high & 0xfffff) * 2 ** 32 + view.getUint32(4) };
}

export function roundHalfEven(numerator: bigint, denominator: bigint): bigint {
  const quotient = floorDivide(numerator, denominator);
  const twice = (numerator - quotient * denominator) * 2n;
  if (twice > denominator || (twice === denominator && quotient % 2n !== 0n)) return quotient + 1n;
  return quotient;
}

/** Divides and rounds towards minus infinity, as Python's `//` does. */
export function floorDivide(left: bigint, right: bigint): bigint {
  const quotient = left / right;
  return left % right !== 0n && left < 0n !== right < 0n ? quotient - 1n : quotient;
}
