import { RenderFailure } from '../failures.js';
import { Markup } from '../values/markup.js';
import { NativeObject } from '../values/native-object.js';
import { Undefined } from '../values/undefined.js';
import type { Value } from '../values/value.js';
import type { Context } from './context.js';
import { execute } from './execute.js';
import type { Frame } from './frame.js';
import { captureOutput } from './output.js';
import type { Runtime } from './runtime.js';
import { createScope, enterScope } from './scope.js';

/** A block costs a scope, and its call an output of its own. */
const blockSteps = 4;

/** Runs a block in a scope of its own, which sees the context only. */
export function executeBlock(name: string, surroundings: Omit<Frame, 'scope'>): void {
  const { runtime, context } = surroundings;
  const block = runtime.template.blocks.get(name)!;
  if (block.node.required) {
    runtime.offset = block.node.offset;
    throw new RenderFailure('TemplateRuntimeError', `Required block '${name}' not found`);
  }
  runtime.budget.charge(blockSteps);
  runtime.budget.enter();
  const scope = createScope(block.symbols, null);
  if (block.selfSlot !== undefined) scope.slots[block.selfSlot] = new TemplateReference(context);
  if (block.superSlot !== undefined) {
    scope.slots[block.superSlot] = new Undefined(`there is no parent block called '${name}'.`);
  }
  enterScope(scope, block.symbols, surroundings);
  execute(block.node.body, { ...surroundings, scope });
  runtime.budget.leave();
}

/** `self`: the template's blocks by name. */
export class TemplateReference extends NativeObject {
  readonly typeName = 'jinja2.runtime.TemplateReference';
  readonly #context: Context;

  constructor(context: Context) {
    super();
    this.#context = context;
  }

  repr(): string {
    return '<TemplateReference None>';
  }

  override attribute(name: string, runtime: Runtime): Value | undefined {
    return runtime.template.blocks.has(name) ? new BlockReference(name, this.#context) : undefined;
  }
}

class BlockReference extends NativeObject {
  readonly typeName = 'BlockReference';
  readonly #name: string;
  readonly #context: Context;

  constructor(name: string, context: Context) {
    super();
    this.#name = name;
    this.#context = context;
  }

  repr(): string {
    return `<BlockReference '${this.#name}'>`;
  }

  override attribute(name: string): Value | undefined {
    return name === 'super' ? new Undefined(`there is no parent block called '${this.#name}'.`) : undefined;
  }

  override readonly call = (_args: unknown, runtime: Runtime): Value => {
    const output = captureOutput(runtime);
    executeBlock(this.#name, { runtime, context: this.#context, output });
    const value = output.value();
    return runtime.autoescape && typeof value === 'string' ? new Markup(value, 'html') : value;
  };
}
