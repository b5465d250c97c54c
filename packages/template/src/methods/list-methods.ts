import { RenderFailure, typeError, valueError } from '../failures.js';
import type { Rendering } from '../rendering.js';
import { sorted } from '../values/compare.js';
import { sameOrEqual } from '../values/equality.js';
import { toList } from '../values/iterate.js';
import { defineFunction, type NativeFunction, type Parameter } from '../values/signature.js';
import { typeName } from '../values/type-name.js';
import { NativeObject, positionalArguments, type Tuple, type Value } from '../values/value.js';
import { flagArgument, integerArgument } from './arguments.js';

type Method = readonly [string, NativeFunction];

/** The methods of Python's `list`, by name. They include those that change the list, as in Jinja2's default sandbox. */
export const listMethods: ReadonlyMap<string, NativeFunction> = new Map<string, NativeFunction>([
  method('append', ['object'], (rendering, self, item) => {
    rendering.budget.list(self.length + 1 > rendering.budget.limits.listLength ? self.length + 1 : 1);
    self.push(item!);
    return null;
  }),
  method('extend', ['iterable'], (rendering, self, iterable) => {
    const added = toList(iterable!, rendering);
    rendering.budget.list(self.length + added.length);
    for (const item of added) self.push(item);
    return null;
  }),
  method('insert', ['index', 'object'], (rendering, self, index, item) => {
    rendering.budget.list(self.length + 1);
    self.splice(integerArgument(index!), 0, item!);
    return null;
  }),
  method('pop', [['index', -1n]], (rendering, self, index) => {
    rendering.budget.items(self.length);
    if (self.length === 0) throw new RenderFailure('IndexError', 'pop from empty list');
    const at = integerArgument(index!);
    const [item] = at < -self.length || at >= self.length ? [] : self.splice(at, 1);
    if (item === undefined) throw new RenderFailure('IndexError', 'pop index out of range');
    return item;
  }),
  method('remove', ['value'], (rendering, self, item) => {
    self.splice(indexOf(rendering, self, item!, 'list.remove(x): x not in list'), 1);
    return null;
  }),
  method('reverse', [], (rendering, self) => {
    rendering.budget.list(self.length);
    self.reverse();
    return null;
  }),
  method('clear', [], (_, self) => {
    self.length = 0;
    return null;
  }),
  method('copy', [], (rendering, self) => toList(self, rendering)),
  method('index', ['value', ['start', 0n], ['stop', null]], (rendering, self, item, start, stop) => {
    const from = integerArgument(start!);
    const offset = Math.max(0, from < 0 ? from + self.length : from);
    const end = stop === null ? self.length : integerArgument(stop!);
    const part = self.slice(offset, end);
    return BigInt(offset + indexOf(rendering, part, item!, 'value is not in list'));
  }),
  method('count', ['value'], (rendering, self, item) => count(rendering, self, item!)),
  method(
    'sort',
    [
      ['key', null],
      ['reverse', false],
    ],
    (rendering, self, key, reverse) => {
      const items = sorted(rendering, self, {
        key: keyFunction(key!, rendering),
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
    defineFunction('count', ['self', 'value'], (rendering, self, item) =>
      count(rendering, (self as Tuple).items, item!),
    ),
  ],
  [
    'index',
    defineFunction('index', ['self', 'value'], (rendering, self, item) =>
      BigInt(indexOf(rendering, (self as Tuple).items, item!, 'tuple.index(x): x not in tuple')),
    ),
  ],
]);

export const rangeMethods: ReadonlyMap<string, NativeFunction> = new Map<string, NativeFunction>([
  [
    'count',
    defineFunction('count', ['self', 'value'], (rendering, self, item) =>
      count(rendering, toList(self, rendering), item!),
    ),
  ],
  [
    'index',
    defineFunction('index', ['self', 'value'], (rendering, self, item) =>
      BigInt(indexOf(rendering, toList(self, rendering), item!, 'value is not in range')),
    ),
  ],
]);

function method(
  name: string,
  parameters: readonly Parameter[],
  run: (rendering: Rendering, self: Value[], ...values: Value[]) => Value,
): Method {
  return [
    name,
    defineFunction(name, ['self', ...parameters], (rendering, self, ...values) =>
      run(rendering, self as Value[], ...values),
    ),
  ];
}

function indexOf(rendering: Rendering, list: readonly Value[], item: Value, message: string): number {
  rendering.budget.items(list.length);
  const index = list.findIndex((other) => sameOrEqual(other, item, rendering));
  if (index === -1) throw valueError(message);
  return index;
}

function count(rendering: Rendering, list: readonly Value[], item: Value): bigint {
  rendering.budget.items(list.length);
  return BigInt(list.filter((other) => sameOrEqual(other, item, rendering)).length);
}

function keyFunction(key: Value, rendering: Rendering): (item: Value) => Value {
  if (key === null) return (item) => item;
  if (!(key instanceof NativeObject) || key.call === undefined) {
    throw typeError(`'${typeName(key)}' object is not callable`);
  }
  const call = key.call;
  return (item) => call(positionalArguments(item), rendering);
}
