import type { Arguments, AssignTarget, For, Node, Statement } from '../parser/nodes.js';
import type { Symbols } from './symbols.js';

/** Returns the children of a node in the order of the fields in Jinja2. `findUndeclared` depends on this order. */
export function childrenOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'Template':
    case 'Block':
    case 'Scope':
      return node.body;
    case 'Output':
    case 'Concat':
      return node.nodes;
    case 'For':
      return [node.target, node.iter, ...node.body, ...node.else_, ...optional(node.test)];
    case 'If':
      return [node.test, ...node.body, ...node.elif_, ...node.else_];
    case 'Macro':
      return [...node.args, ...node.defaults, ...node.body];
    case 'CallBlock':
      return [node.call, ...node.args, ...node.defaults, ...node.body];
    case 'FilterBlock':
      return [...node.body, node.filter];
    case 'With':
      return [...node.targets, ...node.values, ...node.body];
    case 'ScopedEvalContextModifier':
      return [node.autoescape, ...node.body];
    case 'Assign':
      return [node.target, node.node];
    case 'AssignBlock':
      return [node.target, ...optional(node.filter), ...node.body];
    default:
      return childrenOfExpression(node);
  }
}

function childrenOfExpression(node: Exclude<Node, { kind: 'Template' | 'Output' }>): readonly Node[] {
  switch (node.kind) {
    case 'Tuple':
    case 'List':
      return node.items;
    case 'Dict':
      return node.items.flatMap((item) => [item.key, item.value]);
    case 'CondExpr':
      return [node.test, node.expr1, ...optional(node.expr2)];
    case 'Filter':
      return [...optional(node.node), ...childrenOfArguments(node.arguments)];
    case 'Test':
    case 'Call':
      return [node.node, ...childrenOfArguments(node.arguments)];
    case 'Getattr':
    case 'Not':
    case 'Neg':
    case 'Pos':
      return [node.node];
    case 'Getitem':
      return [node.node, node.arg];
    case 'Slice':
      return [...optional(node.start), ...optional(node.stop), ...optional(node.step)];
    case 'Compare':
      return [node.expr, ...node.ops.map((operand) => operand.expr)];
    case 'BinExpr':
    case 'And':
    case 'Or':
      return [node.left, node.right];
    default:
      return [];
  }
}

function childrenOfArguments(args: Arguments): Node[] {
  return [
    ...args.args,
    ...args.kwargs.map((keyword) => keyword.value),
    ...optional(args.dynArgs),
    ...optional(args.dynKwargs),
  ];
}

function optional<Child extends Node>(child: Child | null): Child[] {
  return child === null ? [] : [child];
}

/** Yields `root` and all its descendants, parents first. */
export function* walk(root: Node): Generator<Node> {
  const pending: Node[] = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    yield node;
    const children = childrenOf(node);
    for (let index = children.length - 1; index >= 0; index--) pending.push(children[index]!);
  }
}

/**
 * Returns those of `names` that are read before they are stored. Blocks are skipped, because they have their own scope.
 */
export function findUndeclared(nodes: readonly Node[], names: readonly string[]): Set<string> {
  const wanted = new Set(names);
  const undeclared = new Set<string>();
  const visit = (node: Node): void => {
    if (node.kind === 'Block') return;
    if (node.kind !== 'Name') {
      for (const child of childrenOf(node)) visit(child);
    } else if (node.ctx !== 'load') {
      wanted.delete(node.name);
    } else if (wanted.has(node.name)) {
      undeclared.add(node.name);
    }
  };
  for (const node of nodes) visit(node);
  return undeclared;
}

/** Records the names that a statement reads and writes in its own scope. Inner scopes are skipped. */
export function findSymbols(symbols: Symbols, node: Node): void {
  switch (node.kind) {
    case 'Name':
      if (node.ctx === 'param') symbols.declareParameter(node.name);
      else if (node.ctx === 'store') symbols.store(node.name);
      else symbols.load(node.name);
      return;
    case 'NSRef':
      symbols.load(node.name);
      return;
    case 'If':
      findBranches(symbols, node);
      return;
    case 'Macro':
      symbols.store(node.name);
      return;
    default:
      findAll(symbols, childrenInOwnScope(node));
  }
}

/** Returns the children whose names belong to the scope of the node, in the order in which the names are declared. */
function childrenInOwnScope(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'Assign':
      return [node.node, node.target];
    case 'For':
      return [node.iter];
    case 'CallBlock':
      return [node.call];
    case 'FilterBlock':
      return [node.filter];
    case 'With':
      return node.values;
    case 'AssignBlock':
      return [node.target];
    case 'Scope':
    case 'Block':
      return [];
    default:
      return childrenOf(node);
  }
}

export function findAll(symbols: Symbols, nodes: readonly Node[]): void {
  for (const node of nodes) findSymbols(symbols, node);
}

/** Declares the variables of a loop as parameters of its body. */
export function declareLoopTarget(symbols: Symbols, target: For['target']): void {
  if (target.kind === 'Name') symbols.declareParameter(target.name);
  else if (target.kind === 'Tuple') for (const item of target.items) declareLoopTarget(symbols, item);
}

/**
 * Copies the target of a loop. The condition of a loop (`for … if …`) has its own scope, in which the names of the
 * target have other locations than in the body. The copy is for this scope.
 */
export function copyTarget(target: AssignTarget): AssignTarget {
  return target.kind === 'Tuple' ? { ...target, items: target.items.map(copyTarget) } : { ...target };
}

function findBranches(symbols: Symbols, node: Extract<Statement, { kind: 'If' }>): void {
  findSymbols(symbols, node.test);
  const branch = (nodes: readonly Node[]) => {
    const inside = symbols.branch();
    findAll(inside, nodes);
    return inside;
  };
  symbols.branchUpdate([branch(node.body), branch(node.elif_), branch(node.else_)]);
}

/** Filters that Jinja2 does not apply at compile time, because they need the context. */
const contextFilters: ReadonlySet<string> = new Set([
  'map',
  'select',
  'reject',
  'selectattr',
  'rejectattr',
  'random',
]);

/**
 * Marks the slices that Jinja2 computes at compile time: constant slices that are printed or are part of a constant
 * expression. If the value of such a slice cannot be sliced, the result is undefined instead of an error. In `nodes`,
 * parents must come before their children.
 */
export function markFoldedSlices(nodes: readonly Node[]): void {
  const constants = new Set<Node>();
  for (const node of nodes.toReversed()) {
    if (canBeConstant(node) && childrenOf(node).every((child) => constants.has(child))) constants.add(node);
  }
  for (const parent of nodes) {
    if (parent.kind !== 'Output' && !constants.has(parent)) continue;
    for (const child of childrenOf(parent)) {
      if (child.kind === 'Getitem' && child.arg.kind === 'Slice') child.folded = constants.has(child);
    }
  }
}

function canBeConstant(node: Node): boolean {
  switch (node.kind) {
    case 'Filter':
      return node.node !== null && !contextFilters.has(node.name);
    case 'Const':
    case 'Tuple':
    case 'List':
    case 'Dict':
    case 'CondExpr':
    case 'Test':
    case 'Getattr':
    case 'Getitem':
    case 'Slice':
    case 'Concat':
    case 'Compare':
    case 'BinExpr':
    case 'And':
    case 'Or':
    case 'Not':
    case 'Neg':
    case 'Pos':
      return true;
    default:
      return false;
  }
}
