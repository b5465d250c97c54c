import type { For } from '../parser/nodes.js';
import { iterate } from '../values/iterate.js';
import { PythonIterator } from '../values/iterators.js';
import { isTrue } from '../values/truth.js';
import type { Value } from '../values/value.js';
import { evaluate } from './evaluate.js';
import { assign, execute, innerFrame } from './execute.js';
import type { Frame } from './frame.js';
import { LoopContext } from './loop-context.js';
import { captureOutput } from './output.js';
import { createScope, enterScope } from './scope.js';

export function executeFor(node: For, frame: Frame): void {
  const iterable = evaluate(node.iter, frame);
  frame.runtime.offset = node.iter.offset;
  if (node.recursive) frame.output.print(runRecursive(node, iterable, frame, 0), node.offset);
  else runLoop({ node, iterable, frame, depth: 0 });
}

/** What `loop(children)` calls: the whole loop again, its text as a value. */
function runRecursive(node: For, iterable: Value, frame: Frame, depth: number): Value {
  const output = captureOutput(frame.runtime);
  const recurse = (children: Value) => runRecursive(node, children, frame, depth + 1);
  runLoop({ node, iterable, frame: { ...frame, output }, depth, recurse });
  return output.value();
}

interface Loop {
  readonly node: For;
  readonly iterable: Value;
  readonly frame: Frame;
  readonly depth: number;
  readonly recurse?: (children: Value) => Value;
}

function runLoop({ node, iterable, frame, depth, recurse }: Loop): void {
  const { runtime } = frame;
  const scopes = node.scopes!;
  const sequence = node.test === null ? iterable : filterItems(node, iterable, frame);
  const scope = createScope(scopes.body, frame.scope);
  const inner: Frame = { ...frame, scope };
  const loop =
    scopes.loopSlot === undefined ? undefined : new LoopContext(sequence, { depth, recurse, runtime });
  if (loop !== undefined) scope.slots[scopes.loopSlot!] = loop;
  const iterator = loop ?? iterate(sequence, runtime);
  runtime.budget.enter();
  let ran = false;
  for (let next = iterator.next(); !next.done; next = iterator.next()) {
    runtime.budget.step();
    ran = true;
    assign(node.target, next.value, inner);
    enterScope(scope, scopes.body, frame);
    execute(node.body, inner);
  }
  runtime.budget.leave();
  if (!ran && node.else_.length > 0) execute(node.else_, innerFrame(frame, scopes.else_));
}

/** The items that pass the loop's `if`, before the loop counts them. */
function filterItems(node: For, iterable: Value, frame: Frame): Value {
  const { runtime } = frame;
  const { test: symbols, testTarget } = node.scopes!;
  const scope = createScope(symbols, frame.scope);
  enterScope(scope, symbols, frame);
  const inner: Frame = { ...frame, scope };
  const iterator = iterate(iterable, runtime);
  function* passing(): Generator<Value> {
    for (let next = iterator.next(); !next.done; next = iterator.next()) {
      assign(testTarget, next.value, inner);
      if (isTrue(evaluate(node.test!, inner))) yield next.value;
    }
  }
  return new PythonIterator(passing());
}
