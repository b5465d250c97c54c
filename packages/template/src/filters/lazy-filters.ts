import type { FilterFunction, Runtime } from '../evaluator/runtime.js';
import { RenderFailure } from '../failures.js';
import { integerArgument, numberArgument } from '../methods/arguments.js';
import { nearest } from '../nearest.js';
import { binary } from '../values/arithmetic.js';
import { equals } from '../values/equality.js';
import { items, PythonIterator, toList } from '../values/iterate.js';
import { isString, textOf } from '../values/text.js';
import { isTrue } from '../values/truth.js';
import { type CallArguments, hashKey, type Value } from '../values/value.js';
import { type Filter, filter } from './filter.js';
import { attributeGetter, ignoreCase } from './sorting.js';

/** Returns the filters that return a generator. They do their work, or fail, only when the items are read. */
export function lazyFilters(): Filter[] {
  return [
    ['map', lazily(map)],
    ['select', lazily((args, runtime) => selectOrReject(args, runtime, { keep: true, byAttribute: false }))],
    ['reject', lazily((args, runtime) => selectOrReject(args, runtime, { keep: false, byAttribute: false }))],
    [
      'selectattr',
      lazily((args, runtime) => selectOrReject(args, runtime, { keep: true, byAttribute: true })),
    ],
    [
      'rejectattr',
      lazily((args, runtime) => selectOrReject(args, runtime, { keep: false, byAttribute: true })),
    ],
    lazy('batch', ['linecount', ['fill_with', null]], batch),
    lazy('slice', ['slices', ['fill_with', null]], slice),
    lazy(
      'unique',
      [
        ['case_sensitive', false],
        ['attribute', null],
      ],
      unique,
    ),
  ];
}

/** Budget steps for creating a generator (duration: about 0.5 µs). */
const generatorSteps = 3;

function lazily(run: (args: CallArguments, runtime: Runtime) => Iterator<Value>): FilterFunction {
  return (args, runtime) => {
    runtime.budget.charge(generatorSteps);
    return new PythonIterator(run(args, runtime));
  };
}

function lazy(
  name: string,
  parameters: Parameters<typeof filter>[1],
  run: (runtime: Runtime, ...values: Value[]) => Iterator<Value>,
): Filter {
  return filter(name, parameters, (runtime, ...values) => {
    runtime.budget.charge(generatorSteps);
    return new PythonIterator(run(runtime, ...values));
  });
}

function* map(args: CallArguments, runtime: Runtime): Generator<Value> {
  const value = args.positional[0]!;
  if (!isTrue(value)) return;
  const apply = prepareMap({ positional: args.positional.slice(1), keywords: args.keywords }, runtime);
  for (const item of items(value, runtime)) yield apply(item);
}

function prepareMap({ positional, keywords }: CallArguments, runtime: Runtime): (item: Value) => Value {
  const attribute = keywords.get('attribute');
  if (positional.length === 0 && attribute !== undefined) {
    for (const name of keywords.keys()) {
      if (name !== 'attribute' && name !== 'default')
        throw argumentError(`Unexpected keyword argument '${name}'`);
    }
    return attributeGetter(attribute, runtime, { fallback: keywords.get('default') ?? null });
  }
  const [name, ...rest] = positional;
  if (name === undefined) throw argumentError('map requires a filter argument');
  const apply = lookUp('filter', name, runtime.filters);
  return (item) => {
    runtime.budget.characters(rest.length);
    return apply({ positional: [item, ...rest], keywords }, runtime);
  };
}

function* selectOrReject(
  args: CallArguments,
  runtime: Runtime,
  { keep, byAttribute }: { keep: boolean; byAttribute: boolean },
): Generator<Value> {
  const [value, ...given] = args.positional;
  if (!isTrue(value!)) return;
  if (byAttribute && given.length === 0) throw argumentError('Missing parameter for attribute name');
  const pick = byAttribute ? attributeGetter(given[0]!, runtime) : (item: Value) => item;
  const [name, ...rest] = byAttribute ? given.slice(1) : given;
  const test =
    name === undefined ? isTrue : prepareTest(name, { positional: rest, keywords: args.keywords }, runtime);
  for (const item of items(value!, runtime)) {
    if (test(pick(item)) === keep) yield item;
  }
}

function prepareTest(name: Value, args: CallArguments, runtime: Runtime): (item: Value) => boolean {
  const test = lookUp('test', name, runtime.tests);
  return (item) => {
    runtime.budget.characters(args.positional.length);
    return test({ positional: [item, ...args.positional], keywords: args.keywords }, runtime);
  };
}

function lookUp<Found>(what: 'filter' | 'test', name: Value, table: ReadonlyMap<string, Found>): Found {
  const text = isString(name) ? textOf(name) : '';
  const found = table.get(text);
  if (found === undefined) {
    const suggestion = nearest(text, table.keys());
    throw new RenderFailure(
      'TemplateRuntimeError',
      `No ${what} named '${text}'.`,
      suggestion === undefined ? {} : { suggestion },
    );
  }
  return found;
}

function argumentError(message: string): RenderFailure {
  return new RenderFailure('FilterArgumentError', message);
}

function* batch(runtime: Runtime, ...[value, lineCount, fillWith]: Value[]): Generator<Value> {
  let line: Value[] = [];
  for (const item of items(value!, runtime)) {
    if (equals(BigInt(line.length), lineCount!, runtime)) {
      yield line;
      line = [];
    }
    line.push(item);
  }
  if (line.length === 0) return;
  if (fillWith !== null) {
    const missing =
      numberArgument(lineCount!, "'<' not supported between instances of 'int' and that") - line.length;
    if (missing > 0) runtime.budget.list(missing);
    for (let added = 0; added < missing; added++) line.push(fillWith!);
  }
  yield line;
}

/** Divides items into a number of lists of nearly the same length, longer ones first. */
function* slice(runtime: Runtime, ...[value, slices, fillWith]: Value[]): Generator<Value> {
  const sequence = toList(value!, runtime);
  const perSlice = binary('//', BigInt(sequence.length), slices!, runtime);
  const count = integerArgument(slices!);
  const each = Number(perSlice);
  const longer = sequence.length - each * count;
  let start = 0;
  for (let index = 0; index < count; index++) {
    runtime.budget.step();
    const end = start + each + (index < longer ? 1 : 0);
    const part = sequence.slice(start, end);
    if (fillWith !== null && index >= longer) part.push(fillWith!);
    yield part;
    start = end;
  }
}

function* unique(runtime: Runtime, ...[value, caseSensitive, attribute]: Value[]): Generator<Value> {
  const key = attributeGetter(attribute!, runtime, isTrue(caseSensitive!) ? {} : { postprocess: ignoreCase });
  const seen = new Set<unknown>();
  for (const item of items(value!, runtime)) {
    const hash = hashKey(key(item), runtime.budget);
    if (seen.has(hash)) continue;
    seen.add(hash);
    yield item;
  }
}
