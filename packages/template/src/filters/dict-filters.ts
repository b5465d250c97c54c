import type { Runtime } from '../evaluator/runtime.js';
import { RenderFailure, typeError } from '../failures.js';
import { flagArgument } from '../methods/arguments.js';
import { Dict } from '../values/dict.js';
import { DictView } from '../values/dict-views.js';
import { PythonIterator } from '../values/iterators.js';
import { isString, textOf } from '../values/text.js';
import { isTrue } from '../values/truth.js';
import { typeName } from '../values/type-name.js';
import { Undefined } from '../values/undefined.js';
import { Tuple, type Value } from '../values/value.js';
import { type Filter, filter } from './filter.js';
import { ignoreCase, sorted } from './sorting.js';

/** Filters for dicts. */
export function dictFilters(): Filter[] {
  return [
    filter('items', [], (_, value) => new PythonIterator(itemsOf(value))),
    filter(
      'dictsort',
      [
        ['case_sensitive', false],
        ['by', 'key'],
        ['reverse', false],
      ],
      dictSort,
    ),
  ];
}

function* itemsOf(value: Value): Generator<Value> {
  if (value instanceof Undefined) return;
  if (!(value instanceof Dict)) throw typeError('Can only get item pairs from a mapping.');
  yield* new DictView(value, 'items').iterate();
}

function dictSort(runtime: Runtime, value: Value, caseSensitive: Value, by: Value, reverse: Value): Value {
  const column = isString(by) ? textOf(by) : '';
  if (column !== 'key' && column !== 'value') {
    throw new RenderFailure('FilterArgumentError', 'You can only sort by either "key" or "value"');
  }
  if (value instanceof Undefined) value.fail();
  if (!(value instanceof Dict))
    throw new RenderFailure('AttributeError', `'${typeName(value)}' object has no attribute 'items'`);
  runtime.budget.list(value.size);
  const pairs = Array.from(value.entries(), (entry) => new Tuple([...entry]));
  const key = (pair: Value) => {
    const picked = (pair as Tuple).items[column === 'key' ? 0 : 1]!;
    return isTrue(caseSensitive) ? picked : ignoreCase(picked, runtime);
  };
  return sorted(runtime, pairs, { key, reverse: flagArgument(reverse) });
}
