import type { Symbols } from '../compiler/symbols.js';
import { RenderFailure, typeError, valueError } from '../failures.js';
import type {
  Assign,
  AssignBlock,
  AssignTarget,
  Block,
  CallBlock,
  FilterBlock,
  If,
  Macro as MacroNode,
  ScopedEvalContextModifier,
  Scope as ScopeNode,
  Statement,
  With,
} from '../parser/nodes.js';
import { tryIterate } from '../values/iterate.js';
import { str } from '../values/repr.js';
import { Markup } from '../values/simple-values.js';
import { isString } from '../values/text.js';
import { isTrue } from '../values/truth.js';
import { typeName } from '../values/type-name.js';
import type { Value } from '../values/value.js';
import { createTemplateReference, executeBlock } from './blocks.js';
import { createContext, type Variables } from './context.js';
import { applyBlockFilter, callValue, evaluate, evaluateArguments } from './evaluate.js';
import { executeFor } from './for-loop.js';
import { createScope, enterScope, type Frame, readRef, writeRef } from './frame.js';
import { Namespace } from './globals.js';
import { createMacro } from './macro.js';
import { captureOutput, createRootOutput } from './output.js';
import type { Runtime } from './runtime.js';

export function execute(body: readonly Statement[], frame: Frame): void {
  for (const statement of body) executeStatement(statement, frame);
}

function executeStatement(node: Statement, frame: Frame): void {
  const { budget } = frame.runtime;
  budget.step();
  budget.descend();
  switch (node.kind) {
    case 'Output':
      for (const child of node.nodes) {
        if (child.kind === 'TemplateData') frame.output.data(child.data, child.offset);
        else frame.output.print(evaluate(child, frame), child.offset);
      }
      break;
    case 'If':
      executeIf(node, frame);
      break;
    case 'For':
      executeFor(node, frame);
      break;
    case 'Assign':
      executeAssign(node, frame);
      break;
    case 'AssignBlock':
      executeAssignBlock(node, frame);
      break;
    case 'With':
      executeWith(node, frame);
      break;
    case 'Macro':
      executeMacro(node, frame);
      break;
    case 'CallBlock':
      executeCallBlock(node, frame);
      break;
    case 'FilterBlock':
      executeFilterBlock(node, frame);
      break;
    case 'Block':
      executeBlockHere(node, frame);
      break;
    case 'Scope':
      executeScope(node, frame);
      break;
    case 'ScopedEvalContextModifier':
      executeAutoescape(node, frame);
  }
  budget.ascend();
}

/** Returns a frame with a new, initialised scope inside the scope of `frame`. */
export function innerFrame(frame: Frame, symbols: Symbols): Frame {
  const scope = createScope(symbols, frame.scope, frame.runtime);
  enterScope(scope, symbols, frame);
  return { ...frame, scope };
}

/** Assigns a value to a target. A tuple of targets unpacks the value. */
export function assign(target: AssignTarget, value: Value, frame: Frame): void {
  switch (target.kind) {
    case 'Name':
      writeRef(frame.scope, target.ref!, value);
      return;
    case 'NSRef': {
      const namespace = readRef(frame.scope, target.ref!);
      if (!(namespace instanceof Namespace)) {
        frame.runtime.offset = target.offset;
        throw new RenderFailure('TemplateRuntimeError', 'cannot assign attribute on non-namespace object');
      }
      namespace.set(target.attr, value, frame.runtime);
      return;
    }
    case 'Tuple':
      unpack(target.items, value, frame);
  }
}

function unpack(targets: readonly AssignTarget[], value: Value, frame: Frame): void {
  frame.runtime.budget.items(targets.length);
  const iterator = tryIterate(value, frame.runtime);
  if (iterator === undefined) throw typeError(`cannot unpack non-iterable ${typeName(value)} object`);
  const values: Value[] = [];
  for (let next = iterator.next(); !next.done; next = iterator.next()) {
    if (values.length === targets.length) {
      throw valueError(`too many values to unpack (expected ${targets.length})`);
    }
    values.push(next.value);
  }
  if (values.length < targets.length) {
    throw valueError(`not enough values to unpack (expected ${targets.length}, got ${values.length})`);
  }
  for (const [index, target] of targets.entries()) assign(target, values[index]!, frame);
}

function executeIf(node: If, frame: Frame): void {
  if (isTrue(evaluate(node.test, frame))) {
    execute(node.body, frame);
    return;
  }
  for (const branch of node.elif_) {
    if (isTrue(evaluate(branch.test, frame))) {
      execute(branch.body, frame);
      return;
    }
  }
  execute(node.else_, frame);
}

function executeAssign(node: Assign, frame: Frame): void {
  const value = evaluate(node.node, frame);
  frame.runtime.offset = node.offset;
  assign(node.target, value, frame);
  if (node.exports) exportNames(node.target, frame);
}

/** Makes names that are set at the top level visible in blocks. */
function exportNames(target: AssignTarget, frame: Frame): void {
  if (target.kind === 'Name') frame.context.set(target.name, readRef(frame.scope, target.ref!)!);
  else if (target.kind === 'Tuple') for (const item of target.items) exportNames(item, frame);
}

function executeAssignBlock(node: AssignBlock, frame: Frame): void {
  const inner = innerFrame(frame, node.symbols!);
  const output = captureOutput(frame.runtime);
  execute(node.body, { ...inner, output });
  const text = node.filter === null ? output.value() : applyBlockFilter(node.filter, output.value(), inner);
  assign(node.target, markIfAutoescape(text, frame), frame);
  if (node.exports) exportNames(node.target, frame);
}

function markIfAutoescape(value: Value, frame: Frame): Value {
  if (!frame.runtime.autoescape || value instanceof Markup) return value;
  return new Markup(str(value, frame.runtime), 'html');
}

function executeWith(node: With, frame: Frame): void {
  const inner = innerFrame(frame, node.symbols!);
  for (const [index, target] of node.targets.entries()) {
    assign(target, evaluate(node.values[index]!, frame), inner);
  }
  execute(node.body, inner);
}

function executeMacro(node: MacroNode, frame: Frame): void {
  const macro = createMacro({ node, signature: node.signature!, name: node.name, frame });
  writeRef(frame.scope, node.target!, macro);
  if (node.exports) frame.context.set(node.name, macro);
}

function executeCallBlock(node: CallBlock, frame: Frame): void {
  const caller = createMacro({ node, signature: node.signature!, name: null, frame });
  const callee = evaluate(node.call.node, frame);
  const args = evaluateArguments(node.call.arguments, frame);
  const keywords = new Map(args.keywords);
  if (keywords.has('caller')) throw typeError("got multiple values for keyword argument 'caller'");
  keywords.set('caller', caller);
  const result = callValue(callee, { positional: args.positional, keywords }, node.call.offset, frame);
  printAsIs(result, node.offset, frame);
}

/** Prints the result of a call block or a filter block without HTML escapes. The result must be a string. */
function printAsIs(value: Value, offset: number, frame: Frame): void {
  if (!isString(value)) {
    throw typeError(`sequence item 0: expected str instance, ${typeName(value)} found`);
  }
  const { runtime } = frame;
  frame.output.print(
    runtime.autoescape && typeof value === 'string' ? new Markup(value, 'html') : value,
    offset,
  );
}

function executeFilterBlock(node: FilterBlock, frame: Frame): void {
  const inner = innerFrame(frame, node.symbols!);
  const output = captureOutput(frame.runtime);
  execute(node.body, { ...inner, output });
  printAsIs(applyBlockFilter(node.filter, output.value(), inner), node.offset, frame);
}

function executeBlockHere(node: Block, frame: Frame): void {
  const locals = new Map<string, Value>();
  const visible = node.visible ?? [];
  frame.runtime.budget.items(visible.length);
  for (const [name, ref] of visible) {
    const value = readRef(frame.scope, ref);
    if (value !== undefined) locals.set(name, value);
  }
  executeBlock(node.name, {
    runtime: frame.runtime,
    context: locals.size > 0 ? frame.context.derive(locals) : frame.context,
    output: frame.output,
  });
}

function executeScope(node: ScopeNode, frame: Frame): void {
  execute(node.body, innerFrame(frame, node.symbols!));
}

function executeAutoescape(node: ScopedEvalContextModifier, frame: Frame): void {
  const { runtime } = frame;
  const before = runtime.autoescape;
  runtime.autoescape = isTrue(evaluate(node.autoescape, frame));
  execute(node.body, frame);
  runtime.autoescape = before;
}

/** Renders a compiled template. Throws `RenderFailure` or `OverrunFailure`. */
export function renderTree(runtime: Runtime, variables: Variables): string {
  const { template, globals } = runtime;
  const context = createContext(variables, globals);
  const output = createRootOutput(runtime);
  const scope = createScope(template.symbols, null, runtime);
  if (template.selfSlot !== undefined)
    scope.slots[template.selfSlot] = createTemplateReference({ runtime, context });
  enterScope(scope, template.symbols, { context, runtime });
  execute(template.body, { runtime, scope, context, output });
  return output.text();
}
