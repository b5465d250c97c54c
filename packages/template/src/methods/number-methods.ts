import { valueError } from '../failures.js';
import type { Rendering } from '../rendering.js';
import { bitLength } from '../values/arithmetic.js';
import { numeric } from '../values/equality.js';
import { exactRatio, floatBits } from '../values/floats.js';
import { isLong, longIntegerSteps } from '../values/integers.js';
import { defineFunction, type NativeFunction } from '../values/signature.js';
import { Tuple, type Value } from '../values/value.js';

/** The methods of Python's `int` and `bool`, by name. */
export const intMethods: ReadonlyMap<string, NativeFunction> = new Map<string, NativeFunction>([
  [
    'bit_length',
    intMethod('bit_length', (value, { budget }) => {
      if (isLong(value)) budget.charge(longIntegerSteps);
      return BigInt(bitLength(value));
    }),
  ],
  ['bit_count', intMethod('bit_count', countBits)],
  ['conjugate', intMethod('conjugate', (value) => value)],
  ['as_integer_ratio', intMethod('as_integer_ratio', (value) => new Tuple([value, 1n]))],
]);

export const floatMethods: ReadonlyMap<string, NativeFunction> = new Map<string, NativeFunction>([
  ['is_integer', floatMethod('is_integer', (value) => Number.isInteger(value))],
  ['conjugate', floatMethod('conjugate', (value) => value)],
  ['hex', floatMethod('hex', hex)],
  [
    'as_integer_ratio',
    floatMethod('as_integer_ratio', (value) => {
      if (!Number.isFinite(value)) throw valueError('cannot convert that float to an integer ratio');
      const { numerator, denominator } = exactRatio(value);
      return new Tuple([numerator, denominator]);
    }),
  ],
]);

function intMethod(name: string, run: (value: bigint, rendering: Rendering) => Value): NativeFunction {
  return defineFunction(name, ['self'], (rendering, self) =>
    run(BigInt(numeric(self as bigint | boolean)), rendering),
  );
}

function countBits(value: bigint, { budget }: Rendering): bigint {
  const bits = value.toString(2);
  budget.charge(bits.length / 8);
  return BigInt(bits.split('1').length - 1);
}

function floatMethod(name: string, run: (value: number) => Value): NativeFunction {
  return defineFunction(name, ['self'], (_, self) => run(self as number));
}

/** Implements Python's `float.hex`. */
function hex(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  if (value === 0) return `${sign}0x0.0p+0`;
  const { biased, fraction } = floatBits(value);
  const exponent = biased === 0 ? -1022 : biased - 1023;
  const digits = fraction.toString(16).padStart(13, '0');
  return `${sign}0x${biased === 0 ? 0 : 1}.${digits}p${exponent < 0 ? '' : '+'}${exponent}`;
}
