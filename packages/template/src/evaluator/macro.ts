import { typeError } from '../failures.js';
import type { CallBlock, Macro as MacroNode, MacroSignature } from '../parser/nodes.js';
import { Undefined } from '../values/simple-values.js';
import { type CallArguments, Dict, NativeObject, Tuple, type Value } from '../values/value.js';
import { evaluate } from './evaluate.js';
import { execute } from './execute.js';
import { createScope, enterScope, type Frame } from './frame.js';
import { captureOutput } from './output.js';

interface MacroDefinition {
  readonly node: MacroNode | CallBlock;
  readonly signature: MacroSignature;
  /** Name of the macro; null for a call block. */
  readonly name: string | null;
  /** Frame in which the macro was defined. The body of the macro can read the names in the scope of this frame. */
  readonly frame: Frame;
}

export function createMacro(definition: MacroDefinition): Value {
  return new Macro(definition);
}

/** A macro as a value. Calling it returns the rendered body. */
class Macro extends NativeObject {
  readonly typeName = 'Macro';
  readonly #definition: MacroDefinition;

  constructor(definition: MacroDefinition) {
    super();
    this.#definition = definition;
  }

  repr(): string {
    const { name } = this.#definition;
    return name === null ? '<Macro anonymous>' : `<Macro '${name}'>`;
  }

  override attribute(name: string): Value | undefined {
    const { node, signature } = this.#definition;
    switch (name) {
      case 'name':
        return this.#definition.name;
      case 'arguments':
        return new Tuple(node.args.map((arg) => arg.name));
      case 'catch_kwargs':
        return signature.accessesKwargs;
      case 'catch_varargs':
        return signature.accessesVarargs;
      case 'caller':
        return signature.accessesCaller;
      default:
        return undefined;
    }
  }

  override readonly call = (args: CallArguments): Value => {
    const { node, signature, frame } = this.#definition;
    const { runtime } = frame;
    runtime.budget.items(signature.slots.length);
    const values = this.#bind(args);
    const scope = createScope(signature.symbols, frame.scope, runtime);
    for (const [index, slot] of signature.slots.entries()) scope.slots[slot] = values[index];
    const output = captureOutput(runtime);
    const inner: Frame = { runtime, scope, context: frame.context, output };
    runtime.budget.enter();
    enterScope(scope, signature.symbols, inner);
    this.#fillDefaults(inner);
    execute(node.body, inner);
    runtime.budget.leave();
    return output.value();
  };

  /** Returns one value for each slot in `signature.slots`. The value of a missing argument is undefined. */
  #bind(args: CallArguments): (Value | undefined)[] {
    const { node, signature } = this.#definition;
    const keywords = new Map(args.keywords);
    const values: (Value | undefined)[] = args.positional.slice(0, node.args.length);
    const names = node.args.map((arg) => arg.name);
    let foundCaller = values.length === names.length && names.includes('caller');
    for (const name of names.slice(values.length)) {
      values.push(keywords.get(name));
      keywords.delete(name);
      if (name === 'caller') foundCaller = true;
    }
    if (signature.accessesCaller && !foundCaller) {
      values.push(keywords.get('caller') ?? new Undefined('No caller defined'));
      keywords.delete('caller');
    }
    if (signature.accessesKwargs) values.push(Dict.fromStrings(keywords));
    else if (keywords.size > 0) this.#failOnKeywords(keywords);
    if (signature.accessesVarargs) values.push(new Tuple(args.positional.slice(names.length)));
    else if (args.positional.length > names.length) {
      throw typeError(`macro ${this.#describe()} takes not more than ${names.length} argument(s)`);
    }
    return values;
  }

  #failOnKeywords(keywords: ReadonlyMap<string, Value>): never {
    if (keywords.has('caller')) {
      throw typeError(
        `macro ${this.#describe()} was invoked with two values for the special caller argument. This is most likely a bug.`,
      );
    }
    const [first] = keywords.keys();
    throw typeError(`macro ${this.#describe()} takes no keyword argument '${first}'`);
  }

  #describe(): string {
    return this.#definition.name === null ? 'None' : `'${this.#definition.name}'`;
  }

  #fillDefaults(frame: Frame): void {
    const { node, signature } = this.#definition;
    const firstDefault = node.args.length - node.defaults.length;
    for (const [index, arg] of node.args.entries()) {
      const slot = signature.slots[index]!;
      if (frame.scope.slots[slot] !== undefined) continue;
      const value = node.defaults[index - firstDefault];
      frame.scope.slots[slot] =
        value === undefined
          ? new Undefined(`parameter '${arg.name}' was not provided`)
          : evaluate(value, frame);
    }
  }
}
