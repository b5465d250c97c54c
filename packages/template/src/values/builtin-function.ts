import type { CallArguments } from '../evaluator/call-arguments.js';
import type { Runtime } from '../evaluator/runtime.js';
import type { NativeFunction } from '../evaluator/signature.js';
import { NativeObject } from './native-object.js';
import type { Value } from './value.js';

/** A global that can be called: a function, or the type whose objects it makes. */
export class BuiltinFunction extends NativeObject {
  readonly typeName: 'function' | 'type';
  readonly #function: NativeFunction;

  constructor(typeName: 'function' | 'type', nativeFunction: NativeFunction) {
    super();
    this.typeName = typeName;
    this.#function = nativeFunction;
  }

  repr(): string {
    return this.typeName === 'type'
      ? `<class '${this.#function.name}'>`
      : `<function ${this.#function.name}>`;
  }

  override readonly call = (args: CallArguments, runtime: Runtime): Value =>
    this.#function.call(args, runtime);
}
