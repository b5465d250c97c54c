import { typeError } from '../failures.js';
import type { Rendering } from '../rendering.js';
import type { Markup } from '../values/markup.js';
import { defineFunction, type NativeFunction, type Parameter } from '../values/signature.js';
import { isString, textOf } from '../values/text.js';
import { typeName } from '../values/type-name.js';
import { Undefined } from '../values/undefined.js';
import type { Value } from '../values/value.js';

/** An argument that Python takes as an index: an int or a bool. */
export function integerArgument(value: Value): number {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'boolean') return Number(value);
  throw typeError(`'${typeName(value)}' object cannot be interpreted as an integer`);
}

/** What Python takes as an int and reads as yes or no. */
export function flagArgument(value: Value): boolean {
  return integerArgument(value) !== 0;
}

export function textArgument(value: Value): string {
  if (isString(value)) return textOf(value);
  throw typeError(`must be str, not ${typeName(value)}`);
}

/** None stands for "not given". */
export function optionalText(value: Value): string | undefined {
  return value === null ? undefined : textArgument(value);
}

/** For arithmetic on an argument, which an undefined one fails. */
export function numberArgument(value: Value, what: string): number {
  if (value instanceof Undefined) value.fail();
  if (typeof value === 'bigint' || typeof value === 'number' || typeof value === 'boolean')
    return Number(value);
  throw typeError(`${what}, not ${typeName(value)}`);
}

export type Self = string | Markup;

/** A `str` method by its Python signature; `self` is the string or Markup that it belongs to. */
export function strMethod(
  name: string,
  parameters: readonly Parameter[],
  run: (rendering: Rendering, self: Self, ...values: Value[]) => Value,
): NativeFunction {
  return defineFunction(name, ['self', ...parameters], (rendering, self, ...values) =>
    run(rendering, self as Self, ...values),
  );
}
