import { RenderFailure, typeError } from '../failures.js';
import { percentFormat } from '../format/percent-format.js';
import { repeatText } from '../json/captured-text.js';
import type { BinaryOperator } from '../parser/nodes.js';
import type { Rendering } from '../rendering.js';
import { isNumeric, numeric } from './equality.js';
import { floorDivide } from './floats.js';
import { isLong, longIntegerSteps, toFloat } from './integers.js';
import { concatenateMarkup } from './markup-text.js';
import { complexPower, precisePower } from './power.js';
import { Markup, Undefined } from './simple-values.js';
import { isString, textOf } from './text.js';
import { typeName } from './type-name.js';
import { Tuple, type Value } from './value.js';

/** Applies a binary operator as Python does. */
export function binary(operator: BinaryOperator, left: Value, right: Value, rendering: Rendering): Value {
  if (typeof left === 'bigint' && typeof right === 'bigint')
    return integers(operator, left, right, rendering);
  if (isNumeric(left) && isNumeric(right)) return numbers(operator, left, right, rendering);
  if (operator === '%' && isString(left)) return percentFormat(left, right, rendering);
  if (left instanceof Undefined) left.fail();
  if (right instanceof Undefined) right.fail();
  const result =
    operator === '+'
      ? add(left, right, rendering)
      : operator === '*'
        ? repeat(left, right, rendering)
        : undefined;
  if (result !== undefined) return result;
  const name = operator === '**' ? '** or pow()' : operator;
  throw typeError(`unsupported operand type(s) for ${name}: '${typeName(left)}' and '${typeName(right)}'`);
}

export function negate(value: Value): Value {
  if (value instanceof Undefined) value.fail();
  if (isNumeric(value)) return -numeric(value);
  throw typeError(`bad operand type for unary -: '${typeName(value)}'`);
}

export function positive(value: Value): Value {
  if (value instanceof Undefined) value.fail();
  if (isNumeric(value)) return numeric(value);
  throw typeError(`bad operand type for unary +: '${typeName(value)}'`);
}

function numbers(
  operator: BinaryOperator,
  left: bigint | number | boolean,
  right: bigint | number | boolean,
  rendering: Rendering,
): Value {
  const a = numeric(left);
  const b = numeric(right);
  if (typeof a === 'bigint' && typeof b === 'bigint') return integers(operator, a, b, rendering);
  return floats(operator, toFloat(a), toFloat(b), rendering);
}

function integers(operator: BinaryOperator, left: bigint, right: bigint, rendering: Rendering): Value {
  const { budget } = rendering;
  if (isLong(left) || isLong(right)) budget.charge(longIntegerSteps);
  switch (operator) {
    case '+':
      return budget.integer(left + right);
    case '-':
      return budget.integer(left - right);
    case '*':
      return budget.integer(left * right);
    case '/':
      if (right === 0n) throw divisionByZero('division by zero');
      return divideIntegers(left, right);
    case '//':
      if (right === 0n) throw divisionByZero('integer division or modulo by zero');
      return floorDivide(left, right);
    case '%':
      if (right === 0n) throw divisionByZero('integer modulo by zero');
      return left - floorDivide(left, right) * right;
    case '**':
      return power(left, right, rendering);
  }
}

/** Returns the correctly rounded quotient as a float, also for integers that a float cannot represent exactly. */
function divideIntegers(left: bigint, right: bigint): number {
  const [numerator, denominator] = [Number(left), Number(right)];
  if (Number.isSafeInteger(numerator) && Number.isSafeInteger(denominator)) return numerator / denominator;
  const halfShift = Math.max(0, Math.ceil((bitLength(right) - bitLength(left) + 66) / 2));
  const shift = BigInt(2 * halfShift);
  const quotient = (left << shift) / right;
  const exact = quotient * right === left << shift ? quotient : quotient | 1n;
  // Divides by 2 ** halfShift twice. One division by 2 ** shift is not possible, because 2 ** 1024 and larger powers
  // are not finite numbers.
  const result = Number(exact) / 2 ** halfShift / 2 ** halfShift;
  if (!Number.isFinite(result)) {
    throw new RenderFailure('OverflowError', 'integer division result too large for a float');
  }
  return result;
}

export function bitLength(value: bigint): number {
  const magnitude = value < 0n ? -value : value;
  return magnitude === 0n ? 0 : magnitude.toString(2).length;
}

function power(base: bigint, exponent: bigint, rendering: Rendering): Value {
  if (exponent < 0n) {
    if (base === 0n) throw divisionByZero('0.0 cannot be raised to a negative power');
    return powerFloats(toFloat(base), toFloat(exponent), rendering);
  }
  if (base === 0n || base === 1n) return exponent === 0n ? 1n : base;
  if (base === -1n) return exponent % 2n === 0n ? 1n : -1n;
  const bits = BigInt(bitLength(base) - 1) * exponent;
  const { budget } = rendering;
  const limit = BigInt(budget.limits.integerBits);
  if (bits > 512n) budget.charge(longIntegerSteps);
  return budget.integer(bits > limit ? 1n << (limit + 1n) : base ** exponent);
}

function floats(operator: BinaryOperator, left: number, right: number, rendering: Rendering): Value {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      if (right === 0) throw divisionByZero('float division by zero');
      return left / right;
    case '//':
      if (right === 0) throw divisionByZero('float floor division by zero');
      return floorDivideFloats(left, right);
    case '%':
      if (right === 0) throw divisionByZero('float modulo');
      return moduloFloats(left, right);
    case '**':
      return powerFloats(left, right, rendering);
  }
}

/** Budget steps for a power of floats (duration: about 6 µs, because it is computed with integers). */
const powerSteps = 50;

function powerFloats(left: number, right: number, rendering: Rendering): Value {
  rendering.budget.charge(powerSteps);
  if (left === 1 || right === 0) return 1;
  if (left === 0 && right < 0) throw divisionByZero('0.0 cannot be raised to a negative power');
  if (left < 0 && Number.isFinite(left) && Number.isFinite(right) && !Number.isInteger(right)) {
    return complexPower(left, right);
  }
  const finite = Number.isFinite(left) && Number.isFinite(right) && left !== 0;
  const magnitude = finite ? precisePower(Math.abs(left), right) : left ** right;
  const result = finite && left < 0 && right % 2 !== 0 ? -magnitude : magnitude;
  if (!Number.isFinite(result) && Number.isFinite(left) && Number.isFinite(right)) {
    throw new RenderFailure('OverflowError', "(34, 'Numerical result out of range')");
  }
  return result;
}

/** Implements Python's `%` for floats: the remainder has the sign of the divisor. */
function moduloFloats(left: number, right: number): number {
  const remainder = left % right;
  if (remainder === 0) return right < 0 ? -0 : 0;
  return remainder < 0 === right < 0 ? remainder : remainder + right;
}

/** Implements `//` with the remainder, because the floor of a rounded quotient can be wrong by one. */
function floorDivideFloats(left: number, right: number): number {
  let remainder = left % right;
  let quotient = (left - remainder) / right;
  if (remainder !== 0 && remainder < 0 !== right < 0) {
    remainder += right;
    quotient -= 1;
  }
  if (quotient === 0) return left / right < 0 || Object.is(left / right, -0) ? -0 : 0;
  const floor = Math.floor(quotient);
  return quotient - floor > 0.5 ? floor + 1 : floor;
}

function divisionByZero(message: string): RenderFailure {
  return new RenderFailure('ZeroDivisionError', message);
}

function add(left: Value, right: Value, rendering: Rendering): Value | undefined {
  const { budget } = rendering;
  if (isString(left) && isString(right)) {
    if (left instanceof Markup || right instanceof Markup) return concatenateMarkup(left, right, rendering);
    budget.string(left.length + right.length);
    return left + right;
  }
  if (Array.isArray(left) && Array.isArray(right)) {
    budget.list(left.length + right.length);
    return left.concat(right);
  }
  if (left instanceof Tuple && right instanceof Tuple) {
    budget.list(left.items.length + right.items.length);
    return new Tuple(left.items.concat(right.items));
  }
  if (isString(left)) throw typeError(`can only concatenate str (not "${typeName(right)}") to str`);
  return undefined;
}

function repeat(left: Value, right: Value, rendering: Rendering): Value | undefined {
  if (typeof right === 'bigint' || typeof right === 'boolean') return repeatSequence(left, right, rendering);
  if (typeof left === 'bigint' || typeof left === 'boolean') return repeatSequence(right, left, rendering);
  return undefined;
}

function repeatSequence(sequence: Value, count: bigint | boolean, rendering: Rendering): Value | undefined {
  const { budget } = rendering;
  const wanted = Number(count);
  const times = Math.max(0, wanted);
  if (isString(sequence)) {
    const text = textOf(sequence);
    budget.string(text === '' ? 0 : text.length * times);
    return text === '' ? sequence : repeatText(sequence, times);
  }
  if (!Array.isArray(sequence) && !(sequence instanceof Tuple)) return undefined;
  const items = Array.isArray(sequence) ? sequence : sequence.items;
  budget.list(items.length * times);
  const result: Value[] = [];
  for (let round = 0; round < times && items.length > 0; round++) for (const item of items) result.push(item);
  return Array.isArray(sequence) ? result : new Tuple(result);
}
