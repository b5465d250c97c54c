import { positionalArguments } from '../evaluator/call-arguments.js';
import type { Runtime } from '../evaluator/runtime.js';
import { defineFunction, type NativeFunction, type Parameter } from '../evaluator/signature.js';
import { RenderFailure, typeError, valueError } from '../failures.js';
import { sorted } from '../filters/sorting.js';
import { sameOrEqual } from '../values/equality.js';
import { toList } from '../values/iterate.js';
import { NativeObject } from '../values/native-object.js';
import { typeName } from '../values/type-name.js';
import type { Tuple, Value } from '../values/value.js';
import { flagArgument, integerArgument } from './arguments.js';

type Method = readonly [string, NativeFunction];

/** Python's `list` methods, those that change the list included: the sandbox allows them. */
export const listMethods: ReadonlyMap<string, NativeFunction> = new Map<string, NativeFunction>([
  method('append', ['object'], (runtime, self, item) => {
    runtime.budget.list(self.length + 1 > runtime.budget.limits.listLength ? self.length + 1 : 1);
    self.push(item!);
    return null;
  }),
  method('extend', ['iterable'], (runtime, self, iterable) => {
    const added = toList(iterable!, runtime);
    runtime.budget.list(self.length + added.length);
    for (const item of added) self.push(item);
    return null;
  }),
  method('insert', ['index', 'object'], (runtime, self, index, item) => {
    runtime.budget.list(self.length + 1);
    self.splice(integerArgument(index!), 0, item!);
    return null;
  }),
  method('pop', [['index', -1n]], (runtime, self, index) => {
    runtime.budget.items(self.length);
    if (self.length === 0) throw new RenderFailure('IndexError', 'pop from empty list');
    const at = integerArgument(index!);
    const [item] = at < -self.length || at >= self.length ? [] : self.splice(at, 1);
    if (item === undefined) throw new RenderFailure('IndexError', 'pop index out of range');
    return item;
  }),
  method('remove', ['value'], (runtime, self, item) => {
    self.splice(indexOf(runtime, self, item!, 'list.remove(x): x not in list'), 1);
    return null;
  }),
  method('reverse', [], (runtime, self) => {
    runtime.budget.list(self.length);
    self.reverse();
    return null;
  }),
  method('clear', [], (_, self) => {
    self.length = 0;
    return null;
  }),
  method('copy', [], (runtime, self) => toList(self, runtime)),
  method('index', ['value', ['start', 0n], ['stop', null]], (runtime, self, item, start, stop) => {
    const from = integerArgument(start!);
    const offset = Math.max(0, from < 0 ? from + self.length : from);
    const end = stop === null ? self.length : integerArgument(stop!);
    const part = self.slice(offset, end);
    return BigInt(offset + indexOf(runtime, part, item!, 'value is not in list'));
  }),
  method('count', ['value'], (runtime, self, item) => count(runtime, self, item!)),
  method(
    'sort',
    [
      ['key', null],
      ['reverse', false],
    ],
    (runtime, self, key, reverse) => {
      const items = sorted(runtime, self, {
        key: keyFunction(key!, runtime),
        reverse: flagArgument(reverse!),
      });
      self.splice(0, self.length);
      for (const item of items) self.push(item);
      return null;
    },
  ),
]);

export const tupleMethods: ReadonlyMap<string, NativeFunction> = new Map<string, NativeFunction>([
  [
    'count',
    defineFunction('count', ['self', 'value'], (runtime, self, item) =>
      count(runtime, (self as Tuple).items, item!),
    ),
  ],
  [
    'index',
    defineFunction('index', ['self', 'value'], (runtime, self, item) =>
      BigInt(indexOf(runtime, (self as Tuple).items, item!, 'tuple.index(x): x not in tuple')),
    ),
  ],
]);

export const rangeMethods: ReadonlyMap<string, NativeFunction> = new Map<string, NativeFunction>([
  [
    'count',
    defineFunction('count', ['self', 'value'], (runtime, self, item) =>
      count(runtime, toList(self, runtime), item!),
    ),
  ],
  [
    'index',
    defineFunction('index', ['self', 'value'], (runtime, self, item) =>
      BigInt(indexOf(runtime, toList(self, runtime), item!, 'value is not in range')),
    ),
  ],
]);

function method(
  name: string,
  parameters: readonly Parameter[],
  run: (runtime: Runtime, self: Value[], ...values: Value[]) => Value,
): Method {
  return [
    name,
    defineFunction(name, ['self', ...parameters], (runtime, self, ...values) =>
      run(runtime, self as Value[], ...values),
    ),
  ];
}

function indexOf(runtime: Runtime, list: readonly Value[], item: Value, message: string): number {
  runtime.budget.items(list.length);
  const index = list.findIndex((other) => sameOrEqual(other, item, runtime));
  if (index === -1) throw valueError(message);
  return index;
}

function count(runtime: Runtime, list: readonly Value[], item: Value): bigint {
  runtime.budget.items(list.length);
  return BigInt(list.filter((other) => sameOrEqual(other, item, runtime)).length);
}

function keyFunction(key: Value, runtime: Runtime): (item: Value) => Value {
  if (key === null) return (item) => item;
  if (!(key instanceof NativeObject) || key.call === undefined) {
    throw typeError(`'${typeName(key)}' object is not callable`);
  }
  const call = key.call;
  return (item) => call(positionalArguments(item), runtime);
}
