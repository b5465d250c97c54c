/**
 * Powers rounded as C's `pow` rounds them. JavaScript's `**` may be one unit in the last place off, and then prints
 * other digits than Python; so logarithm and exponential are computed in integers with this many binary places.
 */
const PLACES = 160n;
const ONE = 1n << PLACES;
const LN2 = 2n * atanh(ONE / 3n);

/** `base ** exponent` for a finite positive base and a finite exponent. */
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
  const fraction = (mantissa << PLACES) >> bits;
  const ratio = ((fraction - ONE) << PLACES) / (fraction + ONE);
  return 2n * atanh(ratio) + (BigInt(exponent) + bits) * LN2;
}

/** The series z + z³/3 + z⁵/5 + …, for z up to a third. */
function atanh(ratio: bigint): bigint {
  const square = (ratio * ratio) >> PLACES;
  let power = ratio;
  let sum = ratio;
  for (let divisor = 3n; power !== 0n && power !== -1n; divisor += 2n) {
    power = (power * square) >> PLACES;
    sum += power / divisor;
  }
  return sum;
}

function exponential(value: bigint): number {
  const twos = (value + LN2 / 2n) / LN2 - (value < -LN2 / 2n ? 1n : 0n);
  const rest = value - twos * LN2;
  let term = ONE;
  let sum = ONE;
  for (let divisor = 1n; term !== 0n && term !== -1n; divisor++) {
    term = ((term * rest) >> PLACES) / divisor;
    sum += term;
  }
  return Number(sum) * 2 ** -Number(PLACES / 2n) * 2 ** (Number(twos) - Number(PLACES / 2n));
}

/** An exact float as `mantissa * 2 ** exponent`. */
function decompose(value: number): { mantissa: bigint; exponent: number } {
  let mantissa = value;
  let exponent = 0;
  while (!Number.isInteger(mantissa)) {
    mantissa *= 2;
    exponent--;
  }
  return { mantissa: BigInt(mantissa), exponent };
}

function shift(value: bigint, places: number): bigint {
  return places >= 0 ? value << BigInt(places) : value >> BigInt(-places);
}
