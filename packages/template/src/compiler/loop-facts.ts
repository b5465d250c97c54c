import { CompileFailure } from '../failures.js';
import type { For, Node, TemplateNode } from '../parser/nodes.js';
import { childrenOf } from './visit.js';

/**
 * Properties of the `for` loops of a template. The syntax tree is read only once for all loops, because reading it
 * again for each loop would take quadratic time.
 */
export interface LoopFacts {
  /** Loops that contain the name `loop`, even if only in an inner scope. */
  readonly namingLoop: ReadonlySet<For>;
  /** Loops that contain a scoped block. Such a block can read `loop`. */
  readonly withScopedBlock: ReadonlySet<For>;
}

interface Enclosing {
  readonly loop: For;
  readonly outer: Enclosing | null;
}

/** Finds the properties of all loops. Throws `CompileFailure` if a loop assigns `loop` as its target or in its body. */
export function findLoopFacts(template: TemplateNode): LoopFacts {
  const namingLoop = new Set<For>();
  const withScopedBlock = new Set<For>();
  const pending: { node: Node; enclosing: Enclosing | null }[] = [{ node: template, enclosing: null }];
  for (let entry = pending.pop(); entry !== undefined; entry = pending.pop()) {
    const { node, enclosing } = entry;
    if (node.kind === 'Name' && node.name === 'loop') {
      if (node.ctx === 'store' && enclosing !== null) throw assignedLoop(node.offset);
      addAll(namingLoop, enclosing);
    }
    if (node.kind === 'Block' && node.scoped) addAll(withScopedBlock, enclosing);
    const inner = node.kind === 'For' ? { loop: node, outer: enclosing } : enclosing;
    for (const child of childrenOf(node)) pending.push({ node: child, enclosing: inner });
  }
  return { namingLoop, withScopedBlock };
}

/**
 * Adds all enclosing loops to `loops`. The search stops at a loop that is already in `loops`, because its outer loops
 * were added with it.
 */
function addAll(loops: Set<For>, innermost: Enclosing | null): void {
  for (let enclosing = innermost; enclosing !== null; enclosing = enclosing.outer) {
    if (loops.has(enclosing.loop)) return;
    loops.add(enclosing.loop);
  }
}

function assignedLoop(offset: number): CompileFailure {
  return new CompileFailure("Can't assign to special loop variable in for-loop target", offset, {
    type: 'TemplateAssertionError',
  });
}
