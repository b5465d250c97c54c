import { RenderFailure, typeError, valueError } from '../failures.js';
import { updateDict } from '../methods/dict-methods.js';
import { BuiltinFunction } from '../values/callables.js';
import { repr } from '../values/repr.js';
import { defineFunction } from '../values/signature.js';
import { createObject } from '../values/simple-object.js';
import { Range, rangeLength } from '../values/simple-values.js';
import { typeName } from '../values/type-name.js';
import { type CallArguments, Dict, NativeObject, type Value } from '../values/value.js';
import type { Runtime } from './runtime.js';

const maxRange = 100_000;

/**
 * Creates the global functions of Jinja2. `lipsum` generates random text in Jinja2. Here it fails with an explanation,
 * because each attempt of a delivery must send the same body.
 */
export function createGlobals(): ReadonlyMap<string, Value> {
  const type = (name: string, call: (args: CallArguments, runtime: Runtime) => Value) =>
    new BuiltinFunction('type', { name, call });
  return new Map<string, Value>([
    ['range', new BuiltinFunction('function', { name: 'range', call: createRange })],
    ['dict', type('dict', createDict)],
    ['cycler', type('jinja2.utils.Cycler', createCycler)],
    [
      'joiner',
      type(
        'jinja2.utils.Joiner',
        defineFunction('Joiner', [['sep', ', ']], (_, sep) => createJoiner(sep!)).call,
      ),
    ],
    [
      'namespace',
      type('jinja2.utils.Namespace', (args, runtime) => new Namespace(createDict(args, runtime))),
    ],
    [
      'lipsum',
      new BuiltinFunction('function', {
        name: 'generate_lorem_ipsum',
        call: () => {
          throw new RenderFailure(
            'RuntimeError',
            'lipsum is not available, because a body must be the same each time',
          );
        },
      }),
    ],
  ]);
}

function createRange(args: CallArguments): Range {
  const { positional, keywords } = args;
  if (keywords.size > 0) throw typeError('range() takes no keyword arguments');
  if (positional.length === 0) throw typeError('range expected at least 1 argument, got 0');
  if (positional.length > 3) throw typeError(`range expected at most 3 arguments, got ${positional.length}`);
  const [first, second, third] = positional.map(rangeArgument);
  const [start, stop, step] = second === undefined ? [0n, first!, 1n] : [first!, second, third ?? 1n];
  if (step === 0n) throw valueError('range() arg 3 must not be zero');
  if (rangeLength(start, stop, step) > BigInt(maxRange)) {
    throw new RenderFailure(
      'OverflowError',
      `Range too big. The sandbox blocks ranges larger than MAX_RANGE (${maxRange}).`,
    );
  }
  return new Range(start, stop, step);
}

function rangeArgument(value: Value): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'boolean') return value ? 1n : 0n;
  throw typeError(`'${typeName(value)}' object cannot be interpreted as an integer`);
}

/** Implements Python's `dict(mapping_or_pairs, **names)`. */
function createDict(args: CallArguments, runtime: Runtime): Dict {
  if (args.positional.length > 1) {
    throw typeError(`dict expected at most 1 argument, got ${args.positional.length}`);
  }
  const dict = new Dict();
  const source = args.positional[0];
  if (source !== undefined) updateDict(dict, source, runtime);
  for (const [name, value] of args.keywords) dict.setString(name, value);
  return dict;
}

function createCycler(args: CallArguments): NativeObject {
  if (args.keywords.size > 0) throw typeError('__init__() got an unexpected keyword argument');
  const items = args.positional;
  if (items.length === 0) throw new RenderFailure('RuntimeError', 'at least one item has to be provided');
  let position = 0;
  const next = () => {
    const item = items[position]!;
    position = (position + 1) % items.length;
    return item;
  };
  const reset = () => {
    position = 0;
    return null;
  };
  return createObject({
    typeName: 'Cycler',
    repr: () => '<jinja2.utils.Cycler object>',
    attribute(name) {
      switch (name) {
        case 'current':
          return items[position]!;
        case 'pos':
          return BigInt(position);
        case 'next':
          return method('next', next);
        case 'reset':
          return method('reset', reset);
        default:
          return undefined;
      }
    },
  });
}

function method(name: string, run: () => Value): BuiltinFunction {
  return new BuiltinFunction('function', defineFunction(name, [], run));
}

/** Creates a value that returns an empty string on its first call, and its separator on later calls. */
function createJoiner(separator: Value): NativeObject {
  let used = false;
  return createObject({
    typeName: 'Joiner',
    repr: () => '<jinja2.utils.Joiner object>',
    attribute(name) {
      if (name === 'sep') return separator;
      return name === 'used' ? used : undefined;
    },
    call: () => {
      if (used) return separator;
      used = true;
      return '';
    },
  });
}

/** An object whose attributes a template can change with `{% set ns.name = … %}`, even inside loops. */
export class Namespace extends NativeObject {
  readonly typeName = 'Namespace';
  readonly #attributes: Dict;

  constructor(attributes: Dict) {
    super();
    this.#attributes = attributes;
  }

  repr(runtime: Runtime): string {
    return `<Namespace ${repr(this.#attributes, runtime)}>`;
  }

  override attribute(name: string, runtime: Runtime): Value | undefined {
    return this.#attributes.get(name, runtime.budget);
  }

  set(name: string, value: Value, runtime: Runtime): void {
    this.#attributes.set(name, value, runtime.budget);
  }
}
