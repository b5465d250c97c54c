import type { CallArguments } from '../evaluator/call-arguments.js';
import type { Runtime } from '../evaluator/runtime.js';
import type { NativeFunction } from '../evaluator/signature.js';
import { NativeObject } from './native-object.js';
import { typeName } from './type-name.js';
import type { Value } from './value.js';

/** A method with the value it belongs to: `name.upper` before it is called. */
export class BoundMethod extends NativeObject {
  readonly typeName = 'builtin_function_or_method';
  readonly #self: Value;
  readonly #method: NativeFunction;

  constructor(self: Value, method: NativeFunction) {
    super();
    this.#self = self;
    this.#method = method;
  }

  repr(): string {
    return `<built-in method ${this.#method.name} of ${typeName(this.#self)} object>`;
  }

  override readonly call = (args: CallArguments, runtime: Runtime): Value =>
    this.#method.call({ positional: [this.#self, ...args.positional], keywords: args.keywords }, runtime);
}
