import { RenderFailure, typeError } from '../failures.js';
import { joinCaptured } from '../json/captured-text.js';
import { getAttribute, getItem } from '../methods/attributes.js';
import type {
  Arguments,
  Compare,
  Concat,
  Dict as DictNode,
  Expression,
  Getitem,
  Name,
  Slice,
} from '../parser/nodes.js';
import { binary, negate, positive } from '../values/arithmetic.js';
import { compare, contains } from '../values/compare.js';
import { equals } from '../values/equality.js';
import { items } from '../values/iterate.js';
import { joinMarkup } from '../values/markup-text.js';
import { concatenate } from '../values/repr.js';
import { Markup, Undefined } from '../values/simple-values.js';
import { getSlice } from '../values/subscript.js';
import { isString, textOf } from '../values/text.js';
import { isTrue } from '../values/truth.js';
import { typeName } from '../values/type-name.js';
import { type CallArguments, Dict, NativeObject, Tuple, type Value } from '../values/value.js';
import { type Frame, readRef } from './frame.js';

/** Evaluates an expression, and charges its steps to the budget. */
export function evaluate(node: Expression, frame: Frame): Value {
  const { budget } = frame.runtime;
  budget.step();
  switch (node.kind) {
    case 'Const':
      return node.value;
    case 'Name':
      return evaluateName(node, frame);
  }
  budget.descend();
  const value = evaluateInner(node, frame);
  budget.ascend();
  return value;
}

function evaluateInner(node: Exclude<Expression, { kind: 'Const' | 'Name' }>, frame: Frame): Value {
  switch (node.kind) {
    case 'Getattr':
      return at(node.offset, frame, evaluate(node.node, frame), (value) =>
        getAttribute(value, node.attr, frame.runtime),
      );
    case 'Getitem':
      return evaluateGetitem(node, frame);
    case 'Filter':
      return applyFilter(node, node.node === null ? null : evaluate(node.node, frame), frame);
    case 'Test':
      return applyTest(node, frame);
    case 'Call':
      return callValue(
        evaluate(node.node, frame),
        evaluateArguments(node.arguments, frame),
        node.offset,
        frame,
      );
    case 'Compare':
      return evaluateCompare(node, frame);
    case 'BinExpr':
      return evaluateBinary(node, frame);
    case 'And': {
      const left = evaluate(node.left, frame);
      return isTrue(left) ? evaluate(node.right, frame) : left;
    }
    case 'Or': {
      const left = evaluate(node.left, frame);
      return isTrue(left) ? left : evaluate(node.right, frame);
    }
    case 'Not':
      return !isTrue(evaluate(node.node, frame));
    case 'Neg':
      return at(node.offset, frame, evaluate(node.node, frame), negate);
    case 'Pos':
      return at(node.offset, frame, evaluate(node.node, frame), positive);
    case 'CondExpr':
      if (isTrue(evaluate(node.test, frame))) return evaluate(node.expr1, frame);
      return node.expr2 === null ? noElse() : evaluate(node.expr2, frame);
    case 'Concat':
      return evaluateConcat(node, frame);
    case 'List':
      return evaluateAll(node.items, frame);
    case 'Tuple':
      return new Tuple(evaluateAll(node.items, frame));
    case 'Dict':
      return evaluateDict(node, frame);
    case 'Slice':
      throw typeError('a slice stands alone between brackets');
  }
}

/** Stores `offset` for the error message, and then runs `operate`, which may fail. */
function at(offset: number, frame: Frame, value: Value, operate: (value: Value) => Value): Value {
  frame.runtime.offset = offset;
  return operate(value);
}

function evaluateName(node: Name, frame: Frame): Value {
  const value = readRef(frame.scope, node.ref!);
  if (value !== undefined) return value;
  frame.runtime.offset = node.offset;
  return new Undefined(`'${node.name}' is undefined`, { variable: node.name });
}

function noElse(): Value {
  return new Undefined('the inline if-expression evaluated to false and no else section was defined.');
}

function evaluateAll(nodes: readonly Expression[], frame: Frame): Value[] {
  const values: Value[] = [];
  for (const node of nodes) values.push(evaluate(node, frame));
  return values;
}

function evaluateGetitem(node: Getitem, frame: Frame): Value {
  const value = evaluate(node.node, frame);
  if (node.arg.kind === 'Slice') return evaluateSlice(node.arg, value, { frame, folded: node.folded });
  const key = evaluate(node.arg, frame);
  frame.runtime.offset = node.offset;
  return getItem(value, key, frame.runtime);
}

/** Budget steps for throwing and catching an error (duration: about 5 µs, mostly for the stack trace). */
const caughtFailureSteps = 50;

interface Slicing {
  readonly frame: Frame;
  readonly folded: boolean | undefined;
}

function evaluateSlice(node: Slice, value: Value, { frame, folded }: Slicing): Value {
  const bound = (part: Expression | null) => (part === null ? null : evaluate(part, frame));
  const bounds = { start: bound(node.start), stop: bound(node.stop), step: bound(node.step) };
  frame.runtime.offset = node.offset;
  if (!folded) return getSlice(value, bounds, frame.runtime);
  try {
    return getSlice(value, bounds, frame.runtime);
  } catch (failure) {
    if (!(failure instanceof RenderFailure) || failure.type !== 'TypeError') throw failure;
    frame.runtime.budget.charge(caughtFailureSteps);
    return new Undefined(failure.message);
  }
}

function evaluateBinary(node: Extract<Expression, { kind: 'BinExpr' }>, frame: Frame): Value {
  const left = evaluate(node.left, frame);
  const right = evaluate(node.right, frame);
  frame.runtime.offset = node.offset;
  return binary(node.operator, left, right, frame.runtime);
}

function evaluateCompare(node: Compare, frame: Frame): boolean {
  const { runtime } = frame;
  let left = evaluate(node.expr, frame);
  for (const { op, expr } of node.ops) {
    const right = evaluate(expr, frame);
    runtime.offset = node.offset;
    if (!compareOnce(op, left, right, frame)) return false;
    left = right;
  }
  return true;
}

function compareOnce(op: Compare['ops'][number]['op'], left: Value, right: Value, frame: Frame): boolean {
  const { runtime } = frame;
  switch (op) {
    case 'eq':
      return equals(left, right, runtime);
    case 'ne':
      return !equals(left, right, runtime);
    case 'lt':
      return compare(left, '<', right, runtime);
    case 'lteq':
      return compare(left, '<=', right, runtime);
    case 'gt':
      return compare(left, '>', right, runtime);
    case 'gteq':
      return compare(left, '>=', right, runtime);
    case 'in':
      return contains(right, left, runtime);
    case 'notin':
      return !contains(right, left, runtime);
  }
}

function evaluateConcat(node: Concat, frame: Frame): Value {
  const { runtime } = frame;
  const values = evaluateAll(node.nodes, frame);
  if (values.some((value) => value instanceof Markup)) {
    if (runtime.autoescape) return joinMarkup(values, runtime);
    if (runtime.options.json) return joinCaptured(values, runtime);
  }
  return concatenate(values, runtime);
}

function evaluateDict(node: DictNode, frame: Frame): Dict {
  const dict = new Dict();
  for (const item of node.items) {
    const key = evaluate(item.key, frame);
    const value = evaluate(item.value, frame);
    frame.runtime.offset = item.key.offset;
    dict.set(key, value, frame.runtime.budget);
  }
  return dict;
}

function applyFilter(node: Extract<Expression, { kind: 'Filter' }>, value: Value, frame: Frame): Value {
  const args = evaluateArguments(node.arguments, frame, value);
  frame.runtime.offset = node.offset;
  return frame.runtime.filters.get(node.name)!(args, frame.runtime);
}

/** Applies a chain of filters to the text of a block. */
export function applyBlockFilter(node: Expression, text: Value, frame: Frame): Value {
  if (node.kind !== 'Filter') return evaluate(node, frame);
  return applyFilter(node, node.node === null ? text : applyBlockFilter(node.node, text, frame), frame);
}

function applyTest(node: Extract<Expression, { kind: 'Test' }>, frame: Frame): boolean {
  const args = evaluateArguments(node.arguments, frame, evaluate(node.node, frame));
  frame.runtime.offset = node.offset;
  return frame.runtime.tests.get(node.name)!(args, frame.runtime);
}

const noKeywords: ReadonlyMap<string, Value> = new Map();

/** Evaluates arguments. `first` becomes the first argument: the value that a filter or test is applied to. */
export function evaluateArguments(node: Arguments, frame: Frame, first?: Value): CallArguments {
  const positional: Value[] = first === undefined ? [] : [first];
  for (const arg of node.args) positional.push(evaluate(arg, frame));
  let keywords = noKeywords;
  if (node.kwargs.length > 0) keywords = evaluateKeywords(node, frame);
  if (node.dynArgs !== null) {
    for (const item of items(evaluate(node.dynArgs, frame), frame.runtime)) positional.push(item);
  }
  if (node.dynKwargs !== null) keywords = spreadKeywords(keywords, evaluate(node.dynKwargs, frame), frame);
  return { positional, keywords };
}

function evaluateKeywords(node: Arguments, frame: Frame): Map<string, Value> {
  const keywords = new Map<string, Value>();
  for (const { key, value } of node.kwargs) {
    if (keywords.has(key)) throw new RenderFailure('TypeError', `keyword argument repeated: ${key}`);
    keywords.set(key, evaluate(value, frame));
  }
  return keywords;
}

function spreadKeywords(
  keywords: ReadonlyMap<string, Value>,
  spread: Value,
  frame: Frame,
): Map<string, Value> {
  if (!(spread instanceof Dict)) {
    throw typeError(`argument after ** must be a mapping, not ${typeName(spread)}`);
  }
  frame.runtime.budget.items(spread.size);
  const result = new Map(keywords);
  for (const [key, value] of spread.entries()) {
    if (!isString(key)) throw typeError('keywords must be strings');
    if (result.has(textOf(key))) throw typeError(`got multiple values for keyword argument '${textOf(key)}'`);
    result.set(textOf(key), value);
  }
  return result;
}

/** Calls a value. Arguments are evaluated before the check that the value is callable, as in Python. */
export function callValue(callee: Value, args: CallArguments, offset: number, frame: Frame): Value {
  const { runtime } = frame;
  runtime.offset = offset;
  if (callee instanceof Undefined) callee.fail();
  if (!(callee instanceof NativeObject) || callee.call === undefined) {
    throw typeError(`'${typeName(callee)}' object is not callable`);
  }
  return callee.call(args, runtime);
}
