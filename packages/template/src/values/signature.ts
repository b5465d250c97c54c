import { typeError } from '../failures.js';
import type { Rendering } from '../rendering.js';
import type { CallArguments, Value } from './value.js';

/** A parameter: its name if it is required, or its name and its default value if it is optional. */
export type Parameter = string | readonly [name: string, defaultValue: Value];

/** A function that templates can call. */
export interface NativeFunction {
  readonly name: string;
  call(args: CallArguments, rendering: Rendering): Value;
}

/** Defines a function with a Python signature. `run` gets the bound values in the order of the parameters. */
export function defineFunction(
  name: string,
  parameters: readonly Parameter[],
  run: (rendering: Rendering, ...values: Value[]) => Value,
): NativeFunction {
  return { name, call: withSignature(name, parameters, run) };
}

/**
 * Returns a function that binds the arguments of a call to the parameters. It calls `run` with the bound values, in the
 * order of the parameters.
 */
export function withSignature<Context, Result>(
  name: string,
  parameters: readonly Parameter[],
  run: (context: Context, ...values: Value[]) => Result,
): (args: CallArguments, context: Context) => Result {
  return (args, context) => run(context, ...bindArguments(name, parameters, args));
}

function bindArguments(name: string, parameters: readonly Parameter[], args: CallArguments): Value[] {
  const { positional, keywords } = args;
  if (positional.length > parameters.length) {
    throw typeError(
      `${name}() takes ${parameters.length} positional arguments but ${positional.length} were given`,
    );
  }
  const values: Value[] = [];
  let used = 0;
  for (let index = 0; index < parameters.length; index++) {
    const parameter = parameters[index]!;
    const parameterName = typeof parameter === 'string' ? parameter : parameter[0];
    const given = keywords.size > 0 ? keywords.get(parameterName) : undefined;
    if (given !== undefined) used++;
    if (index < positional.length) {
      if (given !== undefined)
        throw typeError(`${name}() got multiple values for argument '${parameterName}'`);
      values.push(positional[index]!);
    } else if (given !== undefined) {
      values.push(given);
    } else if (typeof parameter === 'string') {
      throw typeError(`${name}() missing 1 required positional argument: '${parameterName}'`);
    } else {
      values.push(parameter[1]);
    }
  }
  if (used < keywords.size) throw typeError(`${name}() got an unexpected keyword argument`);
  return values;
}
