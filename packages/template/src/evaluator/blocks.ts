import { RenderFailure } from '../failures.js';
import { createObject } from '../values/simple-object.js';
import { Markup, Undefined } from '../values/simple-values.js';
import type { NativeObject } from '../values/value.js';
import { execute } from './execute.js';
import { createScope, enterScope, type Frame } from './frame.js';
import { captureOutput } from './output.js';

/** Budget steps for starting a block (duration: about 0.5 µs). */
const blockSteps = 4;

/**
 * Runs a block in its own scope. Every block can read the names of the context. A scoped block gets a context that also
 * contains the names of the surrounding scopes. Other blocks cannot read these names.
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
  if (block.selfSlot !== undefined)
    scope.slots[block.selfSlot] = createTemplateReference({ runtime, context });
  if (block.superSlot !== undefined) scope.slots[block.superSlot] = noParentBlock(name);
  enterScope(scope, block.symbols, surroundings);
  execute(block.node.body, { ...surroundings, scope });
  runtime.budget.leave();
}

type Surroundings = Pick<Frame, 'runtime' | 'context'>;

/** Creates the value of `self`, with the template's blocks as attributes. */
export function createTemplateReference(surroundings: Surroundings): NativeObject {
  const { blocks } = surroundings.runtime.template;
  return createObject({
    typeName: 'jinja2.runtime.TemplateReference',
    repr: () => '<TemplateReference None>',
    attribute: (name) => (blocks.has(name) ? createBlockReference(name, surroundings) : undefined),
  });
}

function createBlockReference(name: string, surroundings: Surroundings): NativeObject {
  const { runtime } = surroundings;
  return createObject({
    typeName: 'BlockReference',
    repr: () => `<BlockReference '${name}'>`,
    attribute: (attribute) => (attribute === 'super' ? noParentBlock(name) : undefined),
    call: () => {
      const output = captureOutput(runtime);
      executeBlock(name, { ...surroundings, output });
      const value = output.value();
      return runtime.autoescape && typeof value === 'string' ? new Markup(value, 'html') : value;
    },
  });
}

function noParentBlock(name: string): Undefined {
  return new Undefined(`there is no parent block called '${name}'.`);
}
