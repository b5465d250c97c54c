import { typeError } from '../failures.js';
import type { Rendering } from '../rendering.js';
import { defineFunction, type NativeFunction, type Parameter } from '../values/signature.js';
import { type Markup, Undefined } from '../values/simple-values.js';
import { isString, textOf } from '../values/text.js';
import { typeName } from '../values/type-name.js';
import type { Value } from '../values/value.js';

/**
 * Converts an int or a bool to a number, because Python accepts both as an index. Throws a TypeError for any other
 * value.
 */
export function integerArgument(value: Value): number {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'boolean') return Number(value);
  throw typeError(`'${typeName(value)}' object cannot be interpreted as an integer`);
}

/** Converts an int argument to a boolean. */
export function flagArgument(value: Value): boolean {
  return integerArgument(value) !== 0;
}

export function textArgument(value: Value): string {
  return textOf(stringArgument(value));
}

export function stringArgument(value: Value): string | Markup {
  if (isString(value)) return value;
  throw typeError(`must be str, not ${typeName(value)}`);
}

/** Returns an optional text argument. None counts as a missing argument. */
export function optionalText(value: Value): string | undefined {
  return value === null ? undefined : textArgument(value);
}

/** Returns a number argument. For an undefined value, throws the error with the message of that value. */
export function numberArgument(value: Value, what: string): number {
  if (value instanceof Undefined) value.fail();
  if (typeof value === 'bigint' || typeof value === 'number' || typeof value === 'boolean')
    return Number(value);
  throw typeError(`${what}, not ${typeName(value)}`);
}

export type Self = string | Markup;

/** Defines a `str` method with a Python signature. `self` is the string or Markup. */
export function strMethod(
  name: string,
  parameters: readonly Parameter[],
  run: (rendering: Rendering, self: Self, ...values: Value[]) => Value,
): NativeFunction {
  return defineFunction(name, ['self', ...parameters], (rendering, self, ...values) =>
    run(rendering, self as Self, ...values),
  );
}
