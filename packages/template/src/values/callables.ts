import type { Rendering } from '../rendering.js';
import type { NativeFunction } from './signature.js';
import { typeName } from './type-name.js';
import { type CallArguments, NativeObject, type Value } from './value.js';

/** A method together with its object, such as the value of `name.upper`. */
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

  override readonly call = (args: CallArguments, rendering: Rendering): Value =>
    this.#method.call({ positional: [this.#self, ...args.positional], keywords: args.keywords }, rendering);
}

/** A callable global: a function, or a type such as `dict`. */
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

  override readonly call = (args: CallArguments, rendering: Rendering): Value =>
    this.#function.call(args, rendering);
}
