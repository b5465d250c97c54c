import type { Runtime, TestFunction, TestTable } from '../evaluator/runtime.js';
import { isLower, isUpper } from '../methods/str-predicates.js';
import { binary } from '../values/arithmetic.js';
import { compare, contains, type Ordering } from '../values/compare.js';
import { equals, isNumeric } from '../values/equality.js';
import { tryIterate, tryLength } from '../values/iterate.js';
import { str } from '../values/repr.js';
import { type Parameter, withSignature } from '../values/signature.js';
import { Undefined } from '../values/simple-values.js';
import { isEscaped, isString, textOf } from '../values/text.js';
import { Dict, NativeObject, type Value } from '../values/value.js';

type Test = readonly [name: string, holds: TestFunction];

/** Creates Jinja2's built-in tests, by name. */
export function createJinjaTests(): TestTable {
  return new Map<string, TestFunction>([
    ...typeTests(),
    ...numberTests(),
    ...comparisonTests(),
    test('defined', [], (_, value) => !(value instanceof Undefined)),
    test('undefined', [], (_, value) => value instanceof Undefined),
    test('filter', [], (runtime, value) => isString(value) && runtime.filters.has(textOf(value))),
    test('test', [], (runtime, value) => isString(value) && runtime.tests.has(textOf(value))),
    test('lower', [], (runtime, value) => charged(runtime, value, isLower)),
    test('upper', [], (runtime, value) => charged(runtime, value, isUpper)),
    test('escaped', [], (runtime, value) => isEscaped(value, runtime)),
    test('in', ['seq'], (runtime, value, sequence) => contains(sequence!, value, runtime)),
    test('sameas', ['other'], (runtime, value, other) => isSame(value, other!, runtime)),
  ]);
}

function test(
  name: string,
  parameters: readonly Parameter[],
  holds: (runtime: Runtime, value: Value, ...args: Value[]) => boolean,
): Test {
  return [name, withSignature(`test_${name}`, ['value', ...parameters], holds)];
}

function typeTests(): Test[] {
  return [
    test('none', [], (_, value) => value === null),
    test('boolean', [], (_, value) => typeof value === 'boolean'),
    test('true', [], (_, value) => value === true),
    test('false', [], (_, value) => value === false),
    test('integer', [], (_, value) => typeof value === 'bigint'),
    test('float', [], (_, value) => typeof value === 'number'),
    test('number', [], (_, value) => isNumeric(value)),
    test('string', [], (_, value) => isString(value)),
    test('mapping', [], (_, value) => value instanceof Dict),
    test('sequence', [], (runtime, value) => isSequence(value, runtime)),
    test('iterable', [], (runtime, value) => tryIterate(value, runtime) !== undefined),
    test('callable', [], (_, value) => isCallable(value)),
  ];
}

function isSequence(value: Value, runtime: Runtime): boolean {
  return !(value instanceof NativeObject) && tryLength(value, runtime) !== undefined;
}

/** Returns true for callable values. An undefined value is callable in Python: its `__call__` exists and fails. */
function isCallable(value: Value): boolean {
  return value instanceof Undefined || (value instanceof NativeObject && value.call !== undefined);
}

function numberTests(): Test[] {
  const remainder = (runtime: Runtime, value: Value, divisor: Value) => binary('%', value, divisor, runtime);
  return [
    test('odd', [], (runtime, value) => equals(remainder(runtime, value, 2n), 1n, runtime)),
    test('even', [], (runtime, value) => equals(remainder(runtime, value, 2n), 0n, runtime)),
    test('divisibleby', ['num'], (runtime, value, divisor) =>
      equals(remainder(runtime, value, divisor!), 0n, runtime),
    ),
  ];
}

const orderings: readonly (readonly [Ordering, readonly string[]])[] = [
  ['<', ['<', 'lt', 'lessthan']],
  ['<=', ['<=', 'le']],
  ['>', ['>', 'gt', 'greaterthan']],
  ['>=', ['>=', 'ge']],
];

function comparisonTests(): Test[] {
  const ordering = ([operator, names]: (typeof orderings)[number]) =>
    names.map((name) =>
      test(name, ['other'], (runtime, value, other) => compare(value, operator, other!, runtime)),
    );
  return [
    ...['==', 'eq', 'equalto'].map((name) =>
      test(name, ['other'], (runtime, value, other) => equals(value, other!, runtime)),
    ),
    ...['!=', 'ne'].map((name) =>
      test(name, ['other'], (runtime, value, other) => !equals(value, other!, runtime)),
    ),
    ...orderings.flatMap(ordering),
  ];
}

function charged(runtime: Runtime, value: Value, holds: (text: string) => boolean): boolean {
  const text = str(value, runtime);
  runtime.budget.characters(text.length);
  return holds(text);
}

/**
 * Approximates Python's `is` with `Object.is`. The results are equal for small integers, equal literals, booleans and
 * None, for which Python has one object. They can differ for other equal values, for example large integers.
 */
function isSame(value: Value, other: Value, runtime: Runtime): boolean {
  return typeof value === 'string' && typeof other === 'string'
    ? equals(value, other, runtime)
    : Object.is(value, other);
}
