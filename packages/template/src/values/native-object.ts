import type { CallArguments } from '../evaluator/call-arguments.js';
import type { Runtime } from '../evaluator/runtime.js';
import type { Value } from './value.js';

/**
 * An object whose whole behaviour is this class: what is not overridden here cannot be reached from a template,
 * since no JavaScript property ever is.
 */
export abstract class NativeObject {
  /** Python's name of the type, as error messages show it. */
  abstract readonly typeName: string;
  abstract repr(runtime: Runtime): string;

  /** The attribute of that name; undefined when there is none. */
  attribute(_name: string, _runtime: Runtime): Value | undefined {
    return undefined;
  }

  /** Present on what can be called. */
  readonly call?: (args: CallArguments, runtime: Runtime) => Value;

  /** Present on what can be iterated over; iterators give themselves. */
  readonly iterate?: (runtime: Runtime) => Iterator<Value>;

  /** Present on what has a `len()`. */
  readonly size?: () => number;
}
