import type { Runtime } from '../evaluator/runtime.js';
import { defineFunction, type NativeFunction, type Parameter } from '../evaluator/signature.js';
import type { Markup } from '../values/markup.js';
import type { Value } from '../values/value.js';

export type Self = string | Markup;

/** A `str` method by its Python signature; `self` is the string or Markup that it belongs to. */
export function strMethod(
  name: string,
  parameters: readonly Parameter[],
  run: (runtime: Runtime, self: Self, ...values: Value[]) => Value,
): NativeFunction {
  return defineFunction(name, ['self', ...parameters], (runtime, self, ...values) =>
    run(runtime, self as Self, ...values),
  );
}
