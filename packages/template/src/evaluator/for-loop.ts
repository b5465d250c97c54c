import { typeError } from '../failures.js';
import type { For } from '../parser/nodes.js';
import { equals } from '../values/equality.js';
import { iterate, PythonIterator, tryLength } from '../values/iterate.js';
import { Undefined } from '../values/simple-values.js';
import { isTrue } from '../values/truth.js';
import { type CallArguments, NativeObject, Tuple, type Value } from '../values/value.js';
import { evaluate } from './evaluate.js';
import { assign, execute, innerFrame } from './execute.js';
import { createScope, enterScope, type Frame } from './frame.js';
import { captureOutput } from './output.js';
import type { Runtime } from './runtime.js';

export function executeFor(node: For, frame: Frame): void {
  const iterable = evaluate(node.iter, frame);
  frame.runtime.offset = node.iter.offset;
  if (node.recursive) frame.output.print(runRecursive(node, iterable, frame, 0), node.offset);
  else runLoop({ node, iterable, frame, depth: 0 });
}

/** Runs a recursive loop, or a call of it such as `loop(children)`, and returns its text. */
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
  const scope = createScope(scopes.body, frame.scope, runtime);
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

/** Budget steps for starting a loop with an `if` (duration: about 2 µs). */
const filterSteps = 10;

/** Returns an iterator over the items for which the `if` of a loop is true. `loop.index` counts only these items. */
function filterItems(node: For, iterable: Value, frame: Frame): Value {
  const { runtime } = frame;
  const { test: symbols, testTarget } = node.scopes!;
  runtime.budget.charge(filterSteps);
  const scope = createScope(symbols, frame.scope, runtime);
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

interface LoopOptions {
  readonly depth: number;
  readonly recurse: ((children: Value) => Value) | undefined;
  readonly runtime: Runtime;
}

/** The value of `loop`. Only `last`, `nextitem` and the length of an iterator read items ahead, as in Jinja2. */
class LoopContext extends NativeObject implements Iterator<Value> {
  readonly typeName = 'LoopContext';
  readonly #iterable: Value;
  readonly #options: LoopOptions;
  #iterator: Iterator<Value>;
  #index0 = -1;
  #knownLength: number | undefined;
  #after: IteratorResult<Value> | undefined;
  #current: Value | undefined;
  #before: Value | undefined;
  #lastChanged: Tuple | undefined;

  constructor(iterable: Value, options: LoopOptions) {
    super();
    this.#iterable = iterable;
    this.#options = options;
    this.#iterator = iterate(iterable, options.runtime);
  }

  repr(): string {
    return `<LoopContext ${this.#index0 + 1}/${this.#length()}>`;
  }

  next(): IteratorResult<Value> {
    const result = this.#after ?? this.#iterator.next();
    this.#after = undefined;
    if (result.done) return result;
    this.#index0++;
    this.#before = this.#current;
    this.#current = result.value;
    return result;
  }

  override readonly size = (): number => this.#length();

  override readonly call = (args: CallArguments): Value => {
    const { recurse } = this.#options;
    const children = args.positional[0] ?? args.keywords.get('iterable');
    if (recurse === undefined) {
      throw typeError("The loop must have the 'recursive' marker to be called recursively.");
    }
    if (children === undefined)
      throw typeError("__call__() missing 1 required positional argument: 'iterable'");
    return recurse(children);
  };

  override attribute(name: string): Value | undefined {
    switch (name) {
      case 'index':
        return BigInt(this.#index0 + 1);
      case 'index0':
        return BigInt(this.#index0);
      case 'revindex':
        return BigInt(this.#length() - this.#index0);
      case 'revindex0':
        return BigInt(this.#length() - this.#index0 - 1);
      case 'first':
        return this.#index0 === 0;
      case 'last':
        return this.#peek().done === true;
      case 'length':
        return BigInt(this.#length());
      case 'depth':
        return BigInt(this.#options.depth + 1);
      case 'depth0':
        return BigInt(this.#options.depth);
      case 'previtem':
        return this.#before ?? new Undefined('there is no previous item');
      case 'nextitem': {
        const next = this.#peek();
        return next.done ? new Undefined('there is no next item') : next.value;
      }
      case 'cycle':
        return new LoopMethod('cycle', (args) => this.#cycle(args));
      case 'changed':
        return new LoopMethod('changed', (args) => this.#changed(args));
      default:
        return undefined;
    }
  }

  #peek(): IteratorResult<Value> {
    this.#after ??= this.#iterator.next();
    return this.#after;
  }

  /** Returns the number of items. If the loop runs over an iterator, reads all remaining items to count them. */
  #length(): number {
    this.#knownLength ??= tryLength(this.#iterable, this.#options.runtime) ?? this.#readToEnd();
    return this.#knownLength;
  }

  #readToEnd(): number {
    const { budget } = this.#options.runtime;
    const rest: Value[] = [];
    for (let next = this.#iterator.next(); !next.done; next = this.#iterator.next()) {
      budget.step();
      rest.push(next.value);
    }
    this.#iterator = rest.values();
    return rest.length + this.#index0 + 1 + (this.#after === undefined || this.#after.done ? 0 : 1);
  }

  #cycle(args: CallArguments): Value {
    const { positional } = args;
    if (positional.length === 0) throw typeError('no items for cycling given');
    return positional[this.#index0 % positional.length]!;
  }

  #changed(args: CallArguments): boolean {
    const value = new Tuple(args.positional);
    if (this.#lastChanged !== undefined && equals(this.#lastChanged, value, this.#options.runtime))
      return false;
    this.#lastChanged = value;
    return true;
  }
}

class LoopMethod extends NativeObject {
  readonly typeName = 'method';
  readonly #name: string;
  override readonly call: (args: CallArguments) => Value;

  constructor(name: string, call: (args: CallArguments) => Value) {
    super();
    this.#name = name;
    this.call = call;
  }

  repr(): string {
    return `<bound method LoopContext.${this.#name}>`;
  }
}
