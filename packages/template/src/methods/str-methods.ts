import { RenderFailure, typeError, valueError } from '../failures.js';
import { type AttributeLookups, strFormat } from '../format/str-format.js';
import { changeCase, cut, isTrusted, TextBuilder } from '../json/captured-text.js';
import type { Rendering } from '../rendering.js';
import { findBackward, findForward } from '../values/find-text.js';
import { items } from '../values/iterate.js';
import { escapeToMarkup, joinMarkup } from '../values/markup-text.js';
import type { NativeFunction, Parameter } from '../values/signature.js';
import { Markup, Undefined } from '../values/simple-values.js';
import { isEscaped, isString, sameKind, textOf, withoutHtml } from '../values/text.js';
import { typeName } from '../values/type-name.js';
import { Dict, Tuple, type Value } from '../values/value.js';
import {
  flagArgument,
  integerArgument,
  optionalText,
  type Self,
  stringArgument,
  strMethod,
  textArgument,
} from './arguments.js';
import { paddingMethods } from './str-padding.js';
import { predicateMethods } from './str-predicates.js';
import { searchMethods } from './str-search.js';
import * as operations from './text-operations.js';

/**
 * Returns the methods of Python's `str`, by name. Most of them return Markup if they are called on Markup. `join`,
 * `replace` and `format` escape their arguments for HTML if they are called on HTML Markup.
 */
export function createStrMethods(lookups: AttributeLookups): ReadonlyMap<string, NativeFunction> {
  return new Map<string, NativeFunction>([
    ...caseMethods(),
    ...splitMethods(),
    ...searchMethods(),
    ...paddingMethods(),
    ...predicateMethods(),
    ...formatMethods(lookups),
    ['join', strMethod('join', ['iterable'], join)],
    ['replace', strMethod('replace', ['old', 'new', ['count', -1n]], replaceMethod)],
  ]);
}

/** Defines a `str` method that changes the case. With `each`, the method charges one step for each character. */
function caseMethod(name: string, run: (text: string) => string, each?: 'each'): [string, NativeFunction] {
  return [
    name,
    strMethod(name, [], (rendering, self) => {
      const text = textOf(self);
      rendering.budget.string(text.length);
      if (each) rendering.budget.items(text.length);
      return changeCase(self, run);
    }),
  ];
}

function caseMethods(): [string, NativeFunction][] {
  return [
    caseMethod('upper', (text) => text.toUpperCase()),
    caseMethod('lower', (text) => text.toLowerCase()),
    caseMethod('title', operations.title, 'each'),
    caseMethod('capitalize', operations.capitalize),
    caseMethod('swapcase', operations.swapCase, 'each'),
    caseMethod('casefold', (text) => text.toLowerCase().replaceAll('ß', 'ss').replaceAll('ς', 'σ')),
  ];
}

function stripMethod(name: string, sides: 'both' | 'left' | 'right'): [string, NativeFunction] {
  return [
    name,
    strMethod(name, [['chars', null]], (rendering, self, characters) =>
      stripText(rendering, self, characters!, sides),
    ),
  ];
}

/** Implements Python's `strip`, `lstrip` and `rstrip`, and charges steps for the work. */
export function stripText(
  rendering: Rendering,
  self: Self,
  characters: Value,
  sides: 'both' | 'left' | 'right',
): Self {
  const text = textOf(self);
  const set = optionalText(characters);
  rendering.budget.string(text.length);
  if (set !== undefined) rendering.budget.items(text.length + set.length);
  const [start, end] = operations.strip(text, set, sides);
  return cut(self, start, end);
}

function splitMethods(): [string, NativeFunction][] {
  const parameters: Parameter[] = [
    ['sep', null],
    ['maxsplit', -1n],
  ];
  const split = (name: string, right: boolean): [string, NativeFunction] => [
    name,
    strMethod(name, parameters, (rendering, self, separator, limit) =>
      splitText(rendering, { self, separator: separator!, limit: integerArgument(limit!), right }),
    ),
  ];
  return [
    stripMethod('strip', 'both'),
    stripMethod('lstrip', 'left'),
    stripMethod('rstrip', 'right'),
    split('split', false),
    split('rsplit', true),
    [
      'splitlines',
      strMethod('splitlines', [['keepends', false]], (rendering, self, keepEnds) => {
        const text = textOf(self);
        rendering.budget.list(text.length);
        return operations.splitLines<Value>(
          text,
          (start, end) => cut(self, start, end),
          flagArgument(keepEnds!),
        );
      }),
    ],
    [
      'partition',
      strMethod('partition', ['sep'], (rendering, self, separator) =>
        partition(rendering, self, textArgument(separator!), 'left'),
      ),
    ],
    [
      'rpartition',
      strMethod('rpartition', ['sep'], (rendering, self, separator) =>
        partition(rendering, self, textArgument(separator!), 'right'),
      ),
    ],
    [
      'removeprefix',
      strMethod('removeprefix', ['prefix'], (rendering, self, prefix) => {
        const [text, start] = [textOf(self), textArgument(prefix!)];
        rendering.budget.characters(text.length + start.length);
        return withoutHtml(text.startsWith(start) ? cut(self, start.length) : self);
      }),
    ],
    [
      'removesuffix',
      strMethod('removesuffix', ['suffix'], (rendering, self, suffix) => {
        const [text, end] = [textOf(self), textArgument(suffix!)];
        rendering.budget.characters(text.length + end.length);
        return withoutHtml(end !== '' && text.endsWith(end) ? cut(self, 0, text.length - end.length) : self);
      }),
    ],
  ];
}

interface Split {
  readonly self: Self;
  readonly separator: Value;
  readonly limit: number;
  readonly right: boolean;
}

function splitText(rendering: Rendering, { self, separator, limit, right }: Split): Value[] {
  const text = textOf(self);
  rendering.budget.list(text.length);
  const at = optionalText(separator);
  if (at === '') throw valueError('empty separator');
  const part = (start: number, end: number): Value => cut(self, start, end);
  return at === undefined
    ? (right ? operations.splitSpaceRight : operations.splitSpace)(text, limit, part)
    : (right ? operations.splitAtRight : operations.splitAt)(text, at, limit, part);
}

function partition(rendering: Rendering, self: Self, separator: string, from: 'left' | 'right'): Tuple {
  if (separator === '') throw valueError('empty separator');
  const text = textOf(self);
  rendering.budget.characters(text.length);
  const at = from === 'right' ? findBackward(text, separator)(text.length) : findForward(text, separator)(0);
  const none = sameKind(self, '');
  if (at < 0) return new Tuple(from === 'right' ? [none, none, self] : [self, none, none]);
  const end = at + separator.length;
  return new Tuple([cut(self, 0, at), cut(self, at, end), cut(self, end)]);
}

function join(rendering: Rendering, self: Self, iterable: Value): Value {
  const parts: Value[] = [];
  for (const item of items(iterable!, rendering)) {
    if (!isString(item)) {
      if (isEscaped(self, rendering)) parts.push(self, escapeToMarkup(item, rendering));
      else
        throw typeError(`sequence item ${parts.length / 2}: expected str instance, ${typeName(item)} found`);
    } else {
      parts.push(self, item);
    }
  }
  if (self instanceof Markup || parts.some(isTrusted)) return joinMarkup(parts.slice(1), rendering);
  let text = '';
  for (const part of parts.slice(1)) {
    const added = textOf(part as Self);
    text += added;
    rendering.budget.grow(text.length, added.length);
  }
  return text;
}

function replaceMethod(rendering: Rendering, self: Self, old: Value, by: Value, count: Value): Value {
  const argument = (value: Value) =>
    self instanceof Markup && self.kind === 'html'
      ? escapeToMarkup(value, rendering).text
      : stringArgument(value);
  return replaceText(rendering, self, {
    old: textOf(argument(old)),
    by: argument(by),
    limit: integerArgument(count),
  });
}

/** Implements Python's `replace`, and charges steps for the work. HTML Markup stays HTML Markup. */
export function replaceText(
  rendering: Rendering,
  self: Self,
  change: { old: string; by: Self; limit: number },
): Self {
  const { old, by, limit } = change;
  const text = textOf(self);
  rendering.budget.characters(text.length);
  if (old === '') rendering.budget.items(text.length);
  rendering.budget.string(operations.replacedLength(text, old, textOf(by)));
  if (!isTrusted(self) && !isTrusted(by)) {
    return sameKind(self, operations.replace(text, { old, by: textOf(by), limit }));
  }
  const builder = new TextBuilder();
  const ranges = operations.splitForReplace(text, old, limit, (start, end) => [start, end] as const);
  for (const [index, range] of ranges.entries()) {
    if (index > 0) builder.append(by);
    builder.appendPart(self, ...range);
  }
  return builder.value();
}

function formatMethods(lookups: AttributeLookups): [string, NativeFunction][] {
  return [
    [
      'format',
      {
        name: 'format',
        call({ positional, keywords }, rendering) {
          const [self, ...args] = positional;
          const keyword = (name: string) => keywords.get(name);
          return strFormat(self as Self, { positional: args, keyword, lookups }, rendering);
        },
      },
    ],
    [
      'format_map',
      strMethod('format_map', ['mapping'], (rendering, self, mapping) => {
        if (mapping instanceof Undefined) mapping.fail();
        if (!(mapping instanceof Dict))
          throw new RenderFailure('TypeError', `'${typeName(mapping!)}' object is not subscriptable`);
        const keyword = (name: string) => mapping.getString(name);
        return strFormat(self, { positional: [], keyword, lookups }, rendering);
      }),
    ],
  ];
}
