import type { Runtime } from '../evaluator/runtime.js';
import { RenderFailure, typeError } from '../failures.js';
import { flagArgument } from '../methods/arguments.js';
import { attributeOf, isPythonAttribute, undefinedAttribute, unsafe } from '../methods/attributes.js';
import { sorted } from '../values/compare.js';
import { DictView, length, PythonIterator } from '../values/iterate.js';
import { softStr } from '../values/markup-text.js';
import { str } from '../values/repr.js';
import { Markup, Undefined } from '../values/simple-values.js';
import { isString, textOf } from '../values/text.js';
import { isTrue } from '../values/truth.js';
import { typeName } from '../values/type-name.js';
import { Dict, Tuple, type Value } from '../values/value.js';
import { type Filter, filter } from './filter.js';
import { ignoreCase } from './sorting.js';

/** Returns the filters for values of any type, for example `default` and `length`. */
export function valueFilters(): Filter[] {
  return [
    filter(
      'default',
      [
        ['default_value', ''],
        ['boolean', false],
      ],
      (_, value, fallback, boolean) =>
        value instanceof Undefined || (isTrue(boolean!) && !isTrue(value)) ? fallback! : value,
    ),
    filter('length', [], (runtime, value) => BigInt(length(value, runtime))),
    filter('string', [], (runtime, value) => softStr(value, runtime)),
    filter('safe', [], (runtime, value) => {
      if (value instanceof Markup && value.kind !== 'html') return value;
      return new Markup(str(value, runtime), runtime.options.json ? 'json' : 'html');
    }),
    filter('attr', ['name'], (runtime, value, name) => {
      if (!isString(name!)) throw typeError(`attribute name must be string, not '${typeName(name!)}'`);
      const attribute = textOf(name);
      if (value instanceof Undefined && !attribute.startsWith('__')) value.fail();
      const found = attributeOf(value, attribute, runtime);
      if (found !== undefined) return found;
      return isPythonAttribute(attribute)
        ? unsafe(value, attribute)
        : undefinedAttribute(value, attribute, runtime);
    }),
  ];
}

/** Returns the filters for dicts: `items` and `dictsort`. */
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
