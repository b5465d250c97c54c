import { CompileFailure } from '../failures.js';
import { nearest } from '../nearest.js';
import type {
  Block,
  CallBlock,
  Expression,
  For,
  Macro,
  Name,
  Node,
  NSRef,
  Statement,
  TemplateNode,
} from '../parser/nodes.js';
import { findLoopFacts, type LoopFacts } from './loop-facts.js';
import { Symbols } from './symbols.js';
import {
  childrenOf,
  copyTarget,
  declareLoopTarget,
  findAll,
  findSymbols,
  findUndeclared,
  markFoldedSlices,
  walk,
} from './visit.js';

/** A syntax tree in which each name has a slot in a scope, and all filters and tests that the template uses exist. */
export interface CompiledTemplate {
  readonly body: Statement[];
  readonly symbols: Symbols;
  readonly selfSlot: number | undefined;
  readonly blocks: ReadonlyMap<string, CompiledBlock>;
}

interface CompiledBlock {
  readonly node: Block;
  readonly symbols: Symbols;
  readonly selfSlot: number | undefined;
  readonly superSlot: number | undefined;
}

export interface KnownNames {
  readonly filters: { has(name: string): boolean; keys(): Iterable<string> };
  readonly tests: { has(name: string): boolean; keys(): Iterable<string> };
}

/** Maximum depth of the tree. A chain of n operators has the depth n. */
const maxTreeDepth = 400;

/** Resolves names and checks the tree. Throws `CompileFailure`. */
export function compileTree(template: TemplateNode, known: KnownNames): CompiledTemplate {
  checkDepth(template);
  const nodes = [...walk(template)];
  checkNames(nodes, known);
  markFoldedSlices(nodes);
  const loops = findLoopFacts(template);
  const blocks = new Map<string, CompiledBlock>();
  for (const node of nodes) {
    if (node.kind !== 'Block') continue;
    if (blocks.has(node.name)) fail(`block '${node.name}' defined twice`, node.offset);
    blocks.set(node.name, compileBlock(node, loops));
  }
  const symbols = new Symbols(null);
  const selfSlot = findUndeclared(template.body, ['self']).has('self')
    ? symbols.declareParameter('self')
    : undefined;
  findAll(symbols, template.body);
  compileBody(template.body, { symbols, toplevel: true, loops });
  return { body: template.body, symbols, selfSlot, blocks };
}

/**
 * Scope in which statements are compiled. `toplevel` is true at the top level of the template. Only there, `set` and
 * `macro` define names that are visible in blocks.
 */
interface Frame {
  readonly symbols: Symbols;
  readonly toplevel: boolean;
  readonly loops: LoopFacts;
}

function compileBlock(node: Block, loops: LoopFacts): CompiledBlock {
  const symbols = new Symbols(null);
  const undeclared = findUndeclared(node.body, ['self', 'super']);
  const selfSlot = undeclared.has('self') ? symbols.declareParameter('self') : undefined;
  const superSlot = undeclared.has('super') ? symbols.declareParameter('super') : undefined;
  findAll(symbols, node.body);
  compileBody(node.body, { symbols, toplevel: false, loops });
  return { node, symbols, selfSlot, superSlot };
}

function compileBody(body: readonly Statement[], frame: Frame): void {
  for (const statement of body) compileStatement(statement, frame);
}

function compileStatement(node: Statement, frame: Frame): void {
  switch (node.kind) {
    case 'Output':
      for (const child of node.nodes) bind(child, frame);
      return;
    case 'For':
      compileFor(node, frame);
      return;
    case 'If':
      bind(node.test, frame);
      compileBody(node.body, frame);
      compileBody(node.elif_, frame);
      compileBody(node.else_, frame);
      return;
    case 'Macro':
      compileMacro(node, frame);
      node.target = refOf(node.name, frame);
      node.exports = frame.toplevel;
      return;
    case 'CallBlock':
      compileMacro(node, frame);
      bind(node.call, frame);
      return;
    case 'FilterBlock': {
      const inner = enterScope(node, childrenOf(node), frame);
      compileBody(node.body, inner);
      bind(node.filter, inner);
      return;
    }
    case 'With': {
      const inner = enterScope(node, [...node.targets, ...node.body], frame);
      for (const target of node.targets) bind(target, inner);
      for (const value of node.values) bind(value, frame);
      compileBody(node.body, inner);
      return;
    }
    case 'Block':
      node.visible = node.scoped ? frame.symbols.dumpStores() : [];
      return;
    case 'Scope':
      compileBody(node.body, enterScope(node, node.body, frame));
      return;
    case 'ScopedEvalContextModifier':
      bind(node.autoescape, frame);
      compileBody(node.body, frame);
      return;
    case 'Assign':
      bind(node.node, frame);
      bind(node.target, frame);
      node.exports = frame.toplevel;
      return;
    case 'AssignBlock': {
      const inner = enterScope(node, node.body, frame);
      compileBody(node.body, inner);
      bind(node.target, frame);
      if (node.filter !== null) bindLoading(node.filter, inner);
      node.exports = frame.toplevel;
    }
  }
}

function enter(frame: Frame): Frame {
  return { ...frame, symbols: new Symbols(frame.symbols), toplevel: false };
}

/**
 * Creates the inner scope of a statement. The scope declares the names that `nodes` write, and the names that `nodes`
 * read and that no outer scope has.
 */
function enterScope(
  node: Extract<Statement, { kind: 'FilterBlock' | 'With' | 'Scope' | 'AssignBlock' }>,
  nodes: readonly Node[],
  frame: Frame,
): Frame {
  const inner = enter(frame);
  findAll(inner.symbols, nodes);
  node.symbols = inner.symbols;
  return inner;
}

function compileFor(node: For, frame: Frame): void {
  const body = enter(frame);
  const needsLoop =
    node.recursive ||
    frame.loops.withScopedBlock.has(node) ||
    (frame.loops.namingLoop.has(node) && findUndeclared(node.body, ['loop']).has('loop'));
  const loopSlot = needsLoop ? body.symbols.declareParameter('loop') : undefined;
  declareLoopTarget(body.symbols, node.target);
  findAll(body.symbols, node.body);
  const else_ = enter(frame);
  findAll(else_.symbols, node.else_);
  const test = enter(frame);
  const testTarget = copyTarget(node.target);
  declareLoopTarget(test.symbols, node.target);
  if (node.test !== null) findSymbols(test.symbols, node.test);
  bind(node.iter, frame);
  bind(node.target, body);
  bind(testTarget, test);
  if (node.test !== null) bind(node.test, test);
  compileBody(node.body, body);
  compileBody(node.else_, else_);
  node.scopes = { body: body.symbols, else_: else_.symbols, test: test.symbols, testTarget, loopSlot };
}

function compileMacro(node: Macro | CallBlock, frame: Frame): void {
  const inner = enter(frame);
  const { symbols } = inner;
  const callerIndex = node.args.findIndex((arg) => arg.name === 'caller');
  const names = node.args.map((arg) => arg.name);
  const declared = new Set(names);
  for (const arg of node.args) {
    if (!declared.delete(arg.name))
      fail(`duplicate argument '${arg.name}' in the definition of a macro`, arg.offset);
  }
  const slots = node.args.map((arg) => symbols.declareParameter(arg.name));
  const undeclared = findUndeclared(node.body, ['caller', 'kwargs', 'varargs']);
  const accessesCaller = undeclared.has('caller');
  if (accessesCaller && callerIndex >= 0 && node.args.length - callerIndex > node.defaults.length) {
    fail(
      'When defining macros or call blocks the special "caller" argument must be omitted or be given a default.',
      node.offset,
    );
  }
  if (accessesCaller && callerIndex < 0) slots.push(symbols.declareParameter('caller'));
  const accessesKwargs = undeclared.has('kwargs') && !names.includes('kwargs');
  if (accessesKwargs) slots.push(symbols.declareParameter('kwargs'));
  const accessesVarargs = undeclared.has('varargs') && !names.includes('varargs');
  if (accessesVarargs) slots.push(symbols.declareParameter('varargs'));
  findAll(symbols, node.defaults);
  findAll(symbols, node.body);
  for (const value of node.defaults) bind(value, inner);
  compileBody(node.body, inner);
  node.signature = { symbols, slots, accessesCaller, accessesKwargs, accessesVarargs };
}

/** Resolves the names of an expression or target to slots. */
function bind(node: Node, frame: Frame): void {
  if (node.kind === 'Name' || node.kind === 'NSRef') {
    node.ref = refOf(node.name, frame);
    return;
  }
  for (const child of childrenOf(node)) bind(child, frame);
}

/**
 * Resolves the names in the filter of a set block. The function declares these names first, because the body of the set
 * block declares only the names that occur in the body.
 */
function bindLoading(node: Expression, frame: Frame): void {
  findSymbols(frame.symbols, node);
  bind(node, frame);
}

function refOf(name: string, frame: Frame): NonNullable<(Name | NSRef)['ref']> {
  const ref = frame.symbols.findRef(name);
  if (ref === undefined) throw new Error(`the name ${name} was not found by the first pass`);
  return ref;
}

/**
 * Throws if the syntax tree is too deep for the recursive functions of the compiler. This check itself is not
 * recursive, so that it cannot overflow the stack.
 */
function checkDepth(template: TemplateNode): void {
  let level: readonly Node[] = [template];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxTreeDepth) fail('the template is nested too deeply', level[0]!.offset);
    const next: Node[] = [];
    for (const node of level) for (const child of childrenOf(node)) next.push(child);
    level = next;
  }
}

function checkNames(nodes: readonly Node[], known: KnownNames): void {
  for (const node of nodes) {
    if (node.kind === 'Filter' && !known.filters.has(node.name)) failUnknown('filter', node, known.filters);
    if (node.kind === 'Test' && !known.tests.has(node.name)) failUnknown('test', node, known.tests);
  }
}

function failUnknown(
  what: 'filter' | 'test',
  node: { name: string; offset: number },
  known: { keys(): Iterable<string> },
): never {
  throw new CompileFailure(`No ${what} named '${node.name}'.`, node.offset, {
    type: 'TemplateAssertionError',
    suggestion: nearest(
      node.name,
      [...known.keys()].filter((candidate) => /^\w+$/.test(candidate)),
    ),
  });
}

function fail(message: string, offset: number): never {
  throw new CompileFailure(message, offset, { type: 'TemplateAssertionError' });
}
