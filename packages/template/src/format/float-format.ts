import { exactRatio, padExponent, roundHalfEven, toFixedHalfEven } from '../values/floats.js';

/** Formats a float as C's `%f`, `%e` or `%g` do. `alternate` (the flag `#`) keeps the point and trailing zeros. */
export function formatFloat(value: number, type: string, precision: number, alternate = false): string {
  if (!Number.isFinite(value)) return specialFloat(value, type);
  const lower = type.toLowerCase();
  const text =
    lower === 'f'
      ? fixed(value, precision, alternate)
      : lower === 'e'
        ? exponential(value, precision, alternate)
        : general(value, precision, alternate);
  return type === lower ? text : text.toUpperCase();
}

function specialFloat(value: number, type: string): string {
  const text = Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
  return type === type.toLowerCase() ? text : text.toUpperCase();
}

function fixed(value: number, precision: number, alternate: boolean): string {
  const text = toFixedHalfEven(value, precision);
  return alternate && precision === 0 ? `${text}.` : text;
}

function exponential(value: number, precision: number, alternate: boolean): string {
  const { sign, digits, exponent } = significantDigits(value, precision + 1);
  const fraction = digits.slice(1);
  const point = fraction !== '' || alternate ? '.' : '';
  return `${sign}${digits.charAt(0)}${point}${fraction}e${padExponent(String(exponent))}`;
}

function general(value: number, precision: number, alternate: boolean): string {
  const wanted = Math.max(precision, 1);
  const { sign, digits, exponent } = significantDigits(value, wanted);
  if (exponent < -4 || exponent >= wanted) {
    const fraction = alternate ? digits.slice(1) : trimZeros(digits.slice(1));
    const point = fraction !== '' || alternate ? '.' : '';
    return `${sign}${digits.charAt(0)}${point}${fraction}e${padExponent(String(exponent))}`;
  }
  const whole = exponent >= 0 ? digits.slice(0, exponent + 1) : '0';
  const rest = exponent >= 0 ? digits.slice(exponent + 1) : '0'.repeat(-exponent - 1) + digits;
  const fraction = alternate ? rest : trimZeros(rest);
  return `${sign}${whole}${fraction !== '' || alternate ? '.' : ''}${fraction}`;
}

function trimZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === 0x30) end--;
  return digits.slice(0, end);
}

/** Returns the first `count` digits and the decimal exponent. The exact binary value is rounded half to even. */
function significantDigits(value: number, count: number): { sign: string; digits: string; exponent: number } {
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const magnitude = Math.abs(value);
  if (magnitude === 0) return { sign, digits: '0'.repeat(count), exponent: 0 };
  const { numerator, denominator } = exactRatio(magnitude);
  let exponent = Math.floor(Math.log10(magnitude));
  for (;;) {
    const shift = count - 1 - exponent;
    const scaled =
      shift >= 0
        ? roundHalfEven(numerator * 10n ** BigInt(shift), denominator)
        : roundHalfEven(numerator, denominator * 10n ** BigInt(-shift));
    const digits = scaled.toString();
    if (digits.length === count) return { sign, digits, exponent };
    exponent += digits.length > count ? 1 : -1;
  }
}
