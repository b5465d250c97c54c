import type { Arguments, Node } from '../parser/nodes.js';

/** The children of a node, in the order of Jinja2's fields; what is found undeclared depends on that order. */
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

/** Every node from `root` down, itself included, before its children. */
export function* walk(root: Node): Generator<Node> {
  const pending: Node[] = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    yield node;
    const children = childrenOf(node);
    for (let index = children.length - 1; index >= 0; index--) pending.push(children[index]!);
  }
}

/** Which of `names` are read before they are stored. Blocks have a scope of their own and are not looked into. */
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
