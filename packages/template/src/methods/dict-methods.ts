import { RenderFailure, typeError, valueError } from '../failures.js';
import type { Rendering } from '../rendering.js';
import { DictView, items, toList } from '../values/iterate.js';
import { repr } from '../values/repr.js';
import { defineFunction, type NativeFunction, type Parameter } from '../values/signature.js';
import { Undefined } from '../values/simple-values.js';
import { Dict, Tuple, type Value } from '../values/value.js';

type Method = readonly [string, NativeFunction];

/**
 * Default value of the parameter `default` of `pop`. It means that the caller has given no default. None cannot mean
 * this, because a caller can pass None.
 */
const notGiven = new Tuple([]);

/** The methods of Python's `dict`, by name. */
export const dictMethods: ReadonlyMap<string, NativeFunction> = new Map<string, NativeFunction>([
  method('keys', [], (_, self) => new DictView(self, 'keys')),
  method('values', [], (_, self) => new DictView(self, 'values')),
  method('items', [], (_, self) => new DictView(self, 'items')),
  method(
    'get',
    ['key', ['default', null]],
    (rendering, self, key, fallback) =>
      self.get(key!, rendering.budget) ?? lookUp(rendering, self, key!, fallback!),
  ),
  method('copy', [], (rendering, self) => self.copy(rendering.budget)),
  method('clear', [], (_, self) => {
    self.clear();
    return null;
  }),
  method('pop', ['key', ['default', notGiven]], (rendering, self, key, fallback) => {
    if (!self.has(key!, rendering.budget)) {
      if (fallback === notGiven) throw new RenderFailure('KeyError', repr(key!, rendering));
      return fallback!;
    }
    return self.delete(key!, rendering.budget) ?? null;
  }),
  method('popitem', [], (rendering, self) => {
    rendering.budget.items(self.size);
    const last = [...self.entries()].at(-1);
    if (last === undefined) throw new RenderFailure('KeyError', 'popitem(): dictionary is empty');
    self.delete(last[0], rendering.budget);
    return new Tuple([...last]);
  }),
  method('setdefault', ['key', ['default', null]], (rendering, self, key, fallback) => {
    if (!self.has(key!, rendering.budget)) self.set(key!, fallback!, rendering.budget);
    return self.get(key!, rendering.budget) ?? null;
  }),
  [
    'update',
    { name: 'update', call: (args, rendering) => update(args.positional, args.keywords, rendering) },
  ],
  [
    'fromkeys',
    defineFunction('fromkeys', ['self', 'iterable', ['value', null]], (rendering, _self, keys, value) => {
      const dict = new Dict();
      for (const key of items(keys!, rendering)) dict.set(key, value!, rendering.budget);
      return dict;
    }),
  ],
]);

function method(
  name: string,
  parameters: readonly Parameter[],
  run: (rendering: Rendering, self: Dict, ...values: Value[]) => Value,
): Method {
  return [
    name,
    defineFunction(name, ['self', ...parameters], (rendering, self, ...values) =>
      run(rendering, self as Dict, ...values),
    ),
  ];
}

function lookUp(rendering: Rendering, self: Dict, key: Value, fallback: Value): Value {
  return self.has(key, rendering.budget) ? null : fallback;
}

function update(
  positional: readonly Value[],
  keywords: ReadonlyMap<string, Value>,
  rendering: Rendering,
): Value {
  const [self, source, ...more] = positional;
  if (more.length > 0) throw typeError(`update expected at most 1 argument, got ${more.length + 1}`);
  const dict = self as Dict;
  if (source !== undefined) updateDict(dict, source, rendering);
  for (const [name, value] of keywords) dict.set(name, value, rendering.budget);
  return null;
}

/** Implements Python's `dict.update`. The source is a mapping, or yields pairs of a key and a value. */
export function updateDict(dict: Dict, source: Value, rendering: Rendering): void {
  const { budget } = rendering;
  if (source instanceof Undefined) source.fail();
  if (source instanceof Dict) {
    budget.list(source.size);
    for (const [key, value] of [...source.entries()]) dict.set(key, value, budget);
    return;
  }
  let index = 0;
  for (const item of items(source, rendering)) {
    const pair = toList(item, rendering);
    if (pair.length !== 2) {
      throw valueError(
        `dictionary update sequence element #${index} has length ${pair.length}; 2 is required`,
      );
    }
    dict.set(pair[0]!, pair[1]!, budget);
    index++;
  }
}
