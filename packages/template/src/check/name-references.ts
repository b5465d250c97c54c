import { childrenOf, walk } from '../compiler/visit.js';
import type { Expression, Filter, Node, Statement } from '../parser/nodes.js';

/**
 * A place where a template reads a variable, such as `model`, or a member of a variable, such as `model.name` or
 * `model["name"]`.
 */
export interface NameReference {
  /** The variable whose member is read. Null if the variable `name` itself is read. */
  readonly object: string | null;
  readonly name: string;
  /** Index of the name in the source. */
  readonly offset: number;
  /**
   * True if the template sets the variable, possibly in another scope or branch. The variable is `object`, or `name` if
   * `object` is null.
   */
  readonly isSet: boolean;
  /** True if the filter `default` is applied to the value, and replaces it when it is undefined. */
  readonly hasDefault: boolean;
  /** True if the value is used in a condition, or if a loop runs over it. */
  readonly decides: boolean;
}

/**
 * Returns all places where a template reads a variable or member, in the order of the syntax tree. Special variables
 * such as `loop` are left out.
 */
export function findReferences(body: readonly Statement[]): NameReference[] {
  const nodes = body.flatMap((statement) => [...walk(statement)]);
  const stored = storedNames(nodes);
  const defaulted = new Set<Node>(nodes.flatMap(valuesGivenToDefault));
  const deciding = findDeciding(nodes);
  return nodes.flatMap((node): NameReference[] => {
    const named = nameOf(node);
    if (named === undefined) return [];
    const isSet = stored.has(named.object ?? named.name);
    return [{ ...named, isSet, hasDefault: defaulted.has(node), decides: deciding.has(node) }];
  });
}

const specialNames: ReadonlySet<string> = new Set(['loop', 'self', 'super', 'caller', 'varargs', 'kwargs']);

function nameOf(node: Node): Pick<NameReference, 'object' | 'name' | 'offset'> | undefined {
  if (node.kind === 'Name') {
    if (node.ctx !== 'load' || specialNames.has(node.name)) return undefined;
    return { object: null, name: node.name, offset: node.offset };
  }
  if (node.kind !== 'Getattr' && node.kind !== 'Getitem') return undefined;
  if (node.node.kind !== 'Name') return undefined;
  const object = node.node.name;
  if (node.kind === 'Getattr') return { object, name: node.attr, offset: node.offset };
  const { arg } = node;
  if (arg.kind !== 'Const' || typeof arg.value !== 'string') return undefined;
  return { object, name: arg.value, offset: arg.offset };
}

function storedNames(nodes: readonly Node[]): Set<string> {
  const stored = new Set<string>();
  for (const node of nodes) {
    if (node.kind === 'Macro') stored.add(node.name);
    else if (node.kind === 'Name' && node.ctx !== 'load') stored.add(node.name);
  }
  return stored;
}

/**
 * Returns the expressions for which this node provides a default. The list is empty unless the node is the filter
 * `default`.
 */
function valuesGivenToDefault(node: Node): Expression[] {
  if (!isDefault(node) || node.node === null) return [];
  const { args, kwargs } = node.arguments;
  // If the second argument of `default` is true, the filter also replaces an empty string, which other filters return
  // for undefined values. The check does not evaluate arguments, so it treats every second argument as true.
  const replacesEmpty = args.length > 1 || kwargs.some(({ key }) => key === 'boolean');
  return undefinedSources(node.node, replacesEmpty);
}

function undefinedSources(node: Expression, throughFilters: boolean): Expression[] {
  const sources = (...inner: (Expression | null)[]) =>
    inner.flatMap((part) => (part === null ? [] : undefinedSources(part, throughFilters)));
  switch (node.kind) {
    case 'CondExpr':
      return sources(node.expr1, node.expr2);
    case 'And':
    case 'Or':
      return sources(node.left, node.right);
    case 'Filter':
      if (isDefault(node)) return sources(...node.arguments.args);
      return throughFilters ? sources(node.node) : [];
    default:
      return [node];
  }
}

function isDefault(node: Node): node is Filter & { name: 'default' | 'd' } {
  return node.kind === 'Filter' && (node.name === 'default' || node.name === 'd');
}

/** Returns all nodes inside conditions and loop iterables. In `nodes`, parents must come before their children. */
function findDeciding(nodes: readonly Node[]): Set<Node> {
  const deciding = new Set<Node>();
  for (const node of nodes) {
    const parts = deciding.has(node) ? childrenOf(node) : decidingParts(node);
    for (const part of parts) deciding.add(part);
  }
  return deciding;
}

function decidingParts(node: Node): Node[] {
  switch (node.kind) {
    case 'If':
    case 'CondExpr':
      return [node.test];
    case 'For':
      return node.test === null ? [node.iter] : [node.iter, node.test];
    default:
      return [];
  }
}
