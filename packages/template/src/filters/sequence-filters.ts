import type { Runtime } from '../evaluator/runtime.js';
import { RenderFailure, typeError } from '../failures.js';
import { joinCaptured } from '../json/captured-text.js';
import { flagArgument } from '../methods/arguments.js';
import { binary } from '../values/arithmetic.js';
import { compare, sorted } from '../values/compare.js';
import { equals } from '../values/equality.js';
import { items, iterate, length, toList, tryIterate, tryReverse } from '../values/iterate.js';
import { escapeToMarkup, joinMarkup, softStr } from '../values/markup-text.js';
import { concatenate } from '../values/repr.js';
import { Markup, Undefined } from '../values/simple-values.js';
import { tryGetItem } from '../values/subscript.js';
import { codePoints, isString, sameKind, textOf } from '../values/text.js';
import { isTrue } from '../values/truth.js';
import { typeName } from '../values/type-name.js';
import { Dict, GroupTuple, type Value } from '../values/value.js';
import { type Filter, filter } from './filter.js';
import { attributeGetter, ignoreCase, multiAttributeGetter } from './sorting.js';

/** Returns the filters that read a sequence when they are applied. `lazyFilters` returns those that read it later. */
export function sequenceFilters(): Filter[] {
  return [
    filter('first', [], (runtime, value) => {
      const next = iterate(value, runtime).next();
      return next.done ? new Undefined('No first item, sequence was empty.') : next.value;
    }),
    filter('last', [], (runtime, value) => {
      const reversed = tryReverse(value, runtime);
      if (reversed === undefined) throw typeError(`'${typeName(value)}' object is not reversible`);
      const next = reversed.iterate().next();
      return next.done ? new Undefined('No last item, sequence was empty.') : next.value;
    }),
    filter('random', [], chooseItem),
    filter('list', [], (runtime, value) => toList(value, runtime)),
    filter('reverse', [], reverse),
    filter(
      'join',
      [
        ['d', ''],
        ['attribute', null],
      ],
      join,
    ),
    filter(
      'sort',
      [
        ['reverse', false],
        ['case_sensitive', false],
        ['attribute', null],
      ],
      (runtime, value, reversed, caseSensitive, attribute) => {
        const key = multiAttributeGetter(
          attribute!,
          runtime,
          isTrue(caseSensitive!) ? undefined : ignoreCase,
        );
        return sorted(runtime, toList(value, runtime), { key, reverse: flagArgument(reversed!) });
      },
    ),
    extremeFilter('min', '<'),
    extremeFilter('max', '>'),
    filter(
      'sum',
      [
        ['attribute', null],
        ['start', 0n],
      ],
      sum,
    ),
    filter('groupby', ['attribute', ['default', null], ['case_sensitive', false]], groupBy),
  ];
}

/** Implements Python's `random.choice`. `Runtime.choose` chooses the index. */
function chooseItem(runtime: Runtime, value: Value): Value {
  const count = length(value, runtime);
  if (count === 0) return new Undefined('No random item, sequence was empty.');
  const index = BigInt(runtime.choose(count));
  const item = tryGetItem(value, index, runtime);
  if (item !== undefined) return item;
  if (value instanceof Dict) throw new RenderFailure('KeyError', String(index));
  throw typeError(`'${typeName(value)}' object is not subscriptable`);
}

function reverse(runtime: Runtime, value: Value): Value {
  if (isString(value)) {
    const text = textOf(value);
    runtime.budget.items(text.length);
    return sameKind(value, codePoints(text).reverse().join(''));
  }
  const reversed = tryReverse(value, runtime);
  if (reversed !== undefined) return reversed;
  if (tryIterate(value, runtime) === undefined) {
    throw new RenderFailure('FilterArgumentError', 'argument must be iterable');
  }
  return toList(value, runtime).reverse();
}

function join(runtime: Runtime, value: Value, separator: Value, attribute: Value): Value {
  const pick = attribute === null ? undefined : attributeGetter(attribute, runtime);
  const parts: Value[] = [];
  for (const item of items(value, runtime)) {
    if (parts.length > 0) parts.push(separator);
    parts.push(pick === undefined ? item : pick(item));
    if (parts.length > runtime.budget.limits.listLength) runtime.budget.list(parts.length);
  }
  if (runtime.autoescape) return joinEscaped(parts, separator, runtime);
  if (runtime.options.json && parts.some((part) => part instanceof Markup))
    return joinCaptured(parts, runtime);
  return concatenate(parts, runtime);
}

/** Joins parts inside `{% autoescape true %}`. The result is Markup if a part or the separator is Markup. */
function joinEscaped(parts: readonly Value[], separator: Value, runtime: Runtime): Value {
  if (parts.some((part) => part instanceof Markup)) {
    return joinMarkup(
      parts.map((part) => (part instanceof Markup ? part : escapeToMarkup(part, runtime))),
      runtime,
    );
  }
  let text = '';
  for (const part of parts) {
    const added = textOf(softStr(part, runtime));
    text += added;
    runtime.budget.grow(text.length, added.length);
  }
  return separator instanceof Markup ? new Markup(text, 'html') : text;
}

function extremeFilter(name: 'min' | 'max', operator: '<' | '>'): Filter {
  const parameters = [
    ['case_sensitive', false],
    ['attribute', null],
  ] as const;
  return filter(name, parameters, (runtime, value, caseSensitive, attribute) =>
    extreme(runtime, value, { caseSensitive: isTrue(caseSensitive!), attribute: attribute!, operator }),
  );
}

interface Extreme {
  readonly caseSensitive: boolean;
  readonly attribute: Value;
  readonly operator: '<' | '>';
}

function extreme(runtime: Runtime, value: Value, { caseSensitive, attribute, operator }: Extreme): Value {
  const key = attributeGetter(attribute, runtime, caseSensitive ? {} : { postprocess: ignoreCase });
  let best: { item: Value; key: Value } | undefined;
  for (const item of items(value, runtime)) {
    const candidate = { item, key: key(item) };
    if (best === undefined || compare(candidate.key, operator, best.key, runtime)) best = candidate;
  }
  return best === undefined ? new Undefined('No aggregated item, sequence was empty.') : best.item;
}

function sum(runtime: Runtime, value: Value, attribute: Value, start: Value): Value {
  const pick = attribute === null ? undefined : attributeGetter(attribute, runtime);
  if (isString(start)) throw typeError("sum() can't sum strings [use ''.join(seq) instead]");
  let total: Value = start;
  for (const item of items(value, runtime)) {
    total = binary('+', total, pick === undefined ? item : pick(item), runtime);
  }
  return total;
}

function groupBy(
  runtime: Runtime,
  value: Value,
  attribute: Value,
  fallback: Value,
  caseSensitive: Value,
): Value {
  const original = attributeGetter(attribute, runtime, { fallback });
  const key = isTrue(caseSensitive)
    ? original
    : attributeGetter(attribute, runtime, { fallback, postprocess: ignoreCase });
  const groups: { key: Value; items: Value[] }[] = [];
  for (const item of sorted(runtime, toList(value, runtime), { key, reverse: false })) {
    const itemKey = key(item);
    const last = groups.at(-1);
    if (last !== undefined && equals(last.key, itemKey, runtime)) last.items.push(item);
    else groups.push({ key: itemKey, items: [item] });
  }
  return groups.map(
    (group) => new GroupTuple(isTrue(caseSensitive) ? group.key : original(group.items[0]!), group.items),
  );
}
