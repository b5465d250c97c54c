import type { FilterFunction, Runtime } from '../evaluator/runtime.js';
import { bindArguments, type Parameter } from '../values/signature.js';
import type { Value } from '../values/value.js';

export type Filter = readonly [name: string, apply: FilterFunction];

/** Defines a filter with a Python signature. `run` gets the filtered value and then the bound arguments. */
export function filter(
  name: string,
  parameters: readonly Parameter[],
  run: (runtime: Runtime, value: Value, ...args: Value[]) => Value,
): Filter {
  const all: Parameter[] = ['value', ...parameters];
  const python = `do_${name}`;
  return [
    name,
    (args, runtime) => run(runtime, ...(bindArguments(python, all, args) as [Value, ...Value[]])),
  ];
}
