import { decompose, floatRepr } from './floats.js';
import { createObject } from './simple-object.js';
import type { NativeObject } from './value.js';

/**
 * Logarithms and exponentials are computed as integers with this number of binary places. JavaScript's `**` is not
 * exact enough: its last digit can differ from the result of Python, which uses C's `pow`.
 */
const binaryPlaces = 160n;
const one = 1n << binaryPlaces;
const ln2 = 2n * atanh(one / 3n);

/**
 * Returns `base ** exponent`, correctly rounded, for a finite positive base and a finite exponent. A result that is
 * infinite or below 1e-300 is computed with JavaScript's `**`, which does not always round correctly.
 */
export function precisePower(base: number, exponent: number): number {
  const estimate = base ** exponent;
  if (base === 1 || exponent === 0 || exponent === 1) return estimate;
  if (exponent === 0.5) return Math.sqrt(base);
  if (estimate === 0 || !Number.isFinite(estimate) || estimate < 1e-300) return estimate;
  return exponential(scaled(exponent, logarithm(base)));
}

function scaled(factor: number, value: bigint): bigint {
  const { mantissa, exponent } = decompose(Math.abs(factor));
  const product = shift(mantissa * value, exponent);
  return factor < 0 ? -product : product;
}

function logarithm(value: number): bigint {
  const { mantissa, exponent } = decompose(value);
  const bits = BigInt(mantissa.toString(2).length - 1);
  const fraction = (mantissa << binaryPlaces) >> bits;
  const ratio = ((fraction - one) << binaryPlaces) / (fraction + one);
  return 2n * atanh(ratio) + (BigInt(exponent) + bits) * ln2;
}

/** Returns atanh(z) as the sum of the series z + z³/3 + z⁵/5 + …, which converges fast for z up to 1/3. */
function atanh(ratio: bigint): bigint {
  const square = (ratio * ratio) >> binaryPlaces;
  let power = ratio;
  let sum = ratio;
  for (let divisor = 3n; power !== 0n && power !== -1n; divisor += 2n) {
    power = (power * square) >> binaryPlaces;
    sum += power / divisor;
  }
  return sum;
}

function exponential(value: bigint): number {
  const twos = (value + ln2 / 2n) / ln2 - (value < -ln2 / 2n ? 1n : 0n);
  const rest = value - twos * ln2;
  let term = one;
  let sum = one;
  for (let divisor = 1n; term !== 0n && term !== -1n; divisor++) {
    term = ((term * rest) >> binaryPlaces) / divisor;
    sum += term;
  }
  return Number(sum) * 2 ** -Number(binaryPlaces / 2n) * 2 ** (Number(twos) - Number(binaryPlaces / 2n));
}

function shift(value: bigint, places: number): bigint {
  return places >= 0 ? value << BigInt(places) : value >> BigInt(-places);
}

/** Returns a non-integer power of a negative number. Templates can print it but not calculate with it. */
export function complexPower(base: number, exponent: number): NativeObject {
  const length = precisePower(Math.abs(base), exponent);
  const phase = Math.PI * exponent;
  const real = length * Math.cos(phase);
  const imaginary = length * Math.sin(phase);
  return createObject({
    typeName: 'complex',
    repr: () => `(${short(real)}${imaginary < 0 ? '' : '+'}${short(imaginary)}j)`,
  });
}

function short(value: number): string {
  return floatRepr(value).replace(/\.0$/, '');
}
