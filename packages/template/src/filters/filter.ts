import type { FilterFunction, Runtime } from '../evaluator/runtime.js';
import { type Parameter, withSignature } from '../values/signature.js';
import type { Value } from '../values/value.js';

export type Filter = readonly [name: string, apply: FilterFunction];

/** Defines a filter with a Python signature. `run` gets the filtered value and then the bound arguments. */
export function filter(
  name: string,
  parameters: readonly Parameter[],
  run: (runtime: Runtime, value: Value, ...args: Value[]) => Value,
): Filter {
  return [name, withSignature(`do_${name}`, ['value', ...parameters], run)];
}
