import type { For, Node, Statement } from '../parser/nodes.js';
import type { Symbols } from './symbols.js';
import { childrenOf } from './visit.js';

/** Notes the names that a statement reads and writes in the scope it stands in; scopes inside it are not entered. */
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
    case 'Assign':
      findSymbols(symbols, node.node);
      findSymbols(symbols, node.target);
      return;
    case 'For':
      findSymbols(symbols, node.iter);
      return;
    case 'CallBlock':
      findSymbols(symbols, node.call);
      return;
    case 'FilterBlock':
      findSymbols(symbols, node.filter);
      return;
    case 'With':
      findAll(symbols, node.values);
      return;
    case 'AssignBlock':
      findSymbols(symbols, node.target);
      return;
    case 'Scope':
    case 'Block':
      return;
    default:
      findAll(symbols, childrenOf(node));
  }
}

export function findAll(symbols: Symbols, nodes: readonly Node[]): void {
  for (const node of nodes) findSymbols(symbols, node);
}

/** The target of a loop is bound anew for each item: a parameter of the body. */
export function declareLoopTarget(symbols: Symbols, target: For['target']): void {
  if (target.kind === 'Name') symbols.declareParameter(target.name);
  else if (target.kind === 'Tuple') for (const item of target.items) declareLoopTarget(symbols, item);
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
