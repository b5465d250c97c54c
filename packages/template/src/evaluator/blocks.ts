import { RenderFailure } from '../failures.js';
import { Markup, Undefined } from '../values/simple-values.js';
import { NativeObject, type Value } from '../values/value.js';
import { execute } from './execute.js';
import { createScope, enterScope, type Frame } from './frame.js';
import { captureOutput } from './output.js';

/** Budget steps for starting a block (duration: about 0.5 µs). */
const blockSteps = 4;

/**
 * Runs a block in its own scope. The block can read names of the context, but not those of surrounding scopes. The
 * context of a scoped block contains these names too.
 */
export function executeBlock(name: string, surroundings: Omit<Frame, 'scope'>): void {
  const { runtime, context } = surroundings;
  const block = runtime.template.blocks.get(name)!;
  if (block.node.required) {
    runtime.offset = block.node.offset;
    throw new RenderFailure('TemplateRuntimeError', `Required block '${name}' not found`);
  }
  runtime.budget.charge(blockSteps);
  runtime.budget.enter();
  const scope = createScope(block.symbols, null, runtime);
  if (block.selfSlot !== undefined) scope.slots[block.selfSlot] = new TemplateReference({ runtime, context });
  if (block.superSlot !== undefined) {
    scope.slots[block.superSlot] = new Undefined(`there is no parent block called '${name}'.`);
  }
  enterScope(scope, block.symbols, surroundings);
  execute(block.node.body, { ...surroundings, scope });
  runtime.budget.leave();
}

type Surroundings = Pick<Frame, 'runtime' | 'context'>;

/** The value of `self`, with the template's blocks as attributes. */
export class TemplateReference extends NativeObject {
  readonly typeName = 'jinja2.runtime.TemplateReference';
  readonly #surroundings: Surroundings;

  constructor(surroundings: Surroundings) {
    super();
    this.#surroundings = surroundings;
  }

  repr(): string {
    return '<TemplateReference None>';
  }

  override attribute(name: string): Value | undefined {
    const { blocks } = this.#surroundings.runtime.template;
    return blocks.has(name) ? new BlockReference(name, this.#surroundings) : undefined;
  }
}

class BlockReference extends NativeObject {
  readonly typeName = 'BlockReference';
  readonly #name: string;
  readonly #surroundings: Surroundings;

  constructor(name: string, surroundings: Surroundings) {
    super();
    this.#name = name;
    this.#surroundings = surroundings;
  }

  repr(): string {
    return `<BlockReference '${this.#name}'>`;
  }

  override attribute(name: string): Value | undefined {
    return name === 'super' ? new Undefined(`there is no parent block called '${this.#name}'.`) : undefined;
  }

  override readonly call = (): Value => {
    const { runtime } = this.#surroundings;
    const output = captureOutput(runtime);
    executeBlock(this.#name, { ...this.#surroundings, output });
    const value = output.value();
    return runtime.autoescape && typeof value === 'string' ? new Markup(value, 'html') : value;
  };
}
