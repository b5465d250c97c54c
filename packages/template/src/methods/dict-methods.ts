import { updateDict } from '../evaluator/globals.js';
import type { Runtime } from '../evaluator/runtime.js';
import { defineFunction, type NativeFunction, type Parameter } from '../evaluator/signature.js';
import { RenderFailure, typeError } from '../failures.js';
import { Dict } from '../values/dict.js';
import { DictView } from '../values/dict-views.js';
import { items } from '../values/iterate.js';
import { repr } from '../values/repr.js';
import { Tuple, type Value } from '../values/value.js';

type Method = readonly [string, NativeFunction];

/** Stands for "no default was given", which is not the same as a default of None. */
const notGiven = new Tuple([]);

/** Python's `dict` methods. */
export const dictMethods: ReadonlyMap<string, NativeFunction> = new Map<string, NativeFunction>([
  method('keys', [], (_, self) => new DictView(self, 'keys')),
  method('values', [], (_, self) => new DictView(self, 'values')),
  method('items', [], (_, self) => new DictView(self, 'items')),
  method(
    'get',
    ['key', ['default', null]],
    (runtime, self, key, fallback) =>
      self.get(key!, runtime.budget) ?? lookUp(runtime, self, key!, fallback!),
  ),
  method('copy', [], (runtime, self) => self.copy(runtime.budget)),
  method('clear', [], (_, self) => {
    self.clear();
    return null;
  }),
  method('pop', ['key', ['default', notGiven]], (runtime, self, key, fallback) => {
    if (!self.has(key!, runtime.budget)) {
      if (fallback === notGiven) throw new RenderFailure('KeyError', repr(key!, runtime));
      return fallback!;
    }
    return self.delete(key!, runtime.budget) ?? null;
  }),
  method('popitem', [], (runtime, self) => {
    runtime.budget.items(self.size);
    const last = [...self.entries()].at(-1);
    if (last === undefined) throw new RenderFailure('KeyError', 'popitem(): dictionary is empty');
    self.delete(last[0], runtime.budget);
    return new Tuple([...last]);
  }),
  method('setdefault', ['key', ['default', null]], (runtime, self, key, fallback) => {
    if (!self.has(key!, runtime.budget)) self.set(key!, fallback!, runtime.budget);
    return self.get(key!, runtime.budget) ?? null;
  }),
  ['update', { name: 'update', call: (args, runtime) => update(args.positional, args.keywords, runtime) }],
  [
    'fromkeys',
    defineFunction('fromkeys', ['self', 'iterable', ['value', null]], (runtime, _self, keys, value) => {
      const dict = new Dict();
      for (const key of items(keys!, runtime)) dict.set(key, value!, runtime.budget);
      return dict;
    }),
  ],
]);

function method(
  name: string,
  parameters: readonly Parameter[],
  run: (runtime: Runtime, self: Dict, ...values: Value[]) => Value,
): Method {
  return [
    name,
    defineFunction(name, ['self', ...parameters], (runtime, self, ...values) =>
      run(runtime, self as Dict, ...values),
    ),
  ];
}

function lookUp(runtime: Runtime, self: Dict, key: Value, fallback: Value): Value {
  return self.has(key, runtime.budget) ? null : fallback;
}

function update(positional: readonly Value[], keywords: ReadonlyMap<string, Value>, runtime: Runtime): Value {
  const [self, source, ...more] = positional;
  if (more.length > 0) throw typeError(`update expected at most 1 argument, got ${more.length + 1}`);
  const dict = self as Dict;
  if (source !== undefined) updateDict(dict, source, runtime);
  for (const [name, value] of keywords) dict.set(name, value, runtime.budget);
  return null;
}
