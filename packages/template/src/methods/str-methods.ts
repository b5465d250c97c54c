import { RenderFailure, typeError, valueError } from '../failures.js';
import { type AttributeLookups, strFormat } from '../format/str-format.js';
import type { Rendering } from '../rendering.js';
import { findBackward, findForward } from '../values/find-text.js';
import { items } from '../values/iterate.js';
import { escapeToMarkup, joinMarkup } from '../values/markup-text.js';
import type { NativeFunction, Parameter } from '../values/signature.js';
import { Markup, Undefined } from '../values/simple-values.js';
import { isString, sameKind, textOf } from '../values/text.js';
import { typeName } from '../values/type-name.js';
import { Dict, Tuple, type Value } from '../values/value.js';
import {
  flagArgument,
  integerArgument,
  optionalText,
  type Self,
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

/**
 * Defines a `str` method that returns a string, or Markup if `self` is Markup. With `each`, the method charges one step
 * for each character.
 */
function textMethod(name: string, run: (text: string) => string, each?: 'each'): [string, NativeFunction] {
  return [
    name,
    strMethod(name, [], (rendering, self) => {
      const text = textOf(self);
      rendering.budget.string(text.length);
      if (each) rendering.budget.items(text.length);
      return sameKind(self, run(text));
    }),
  ];
}

function caseMethods(): [string, NativeFunction][] {
  return [
    textMethod('upper', (text) => text.toUpperCase()),
    textMethod('lower', (text) => text.toLowerCase()),
    textMethod('title', operations.title, 'each'),
    textMethod('capitalize', operations.capitalize),
    textMethod('swapcase', operations.swapCase, 'each'),
    textMethod('casefold', (text) => text.toLowerCase().replaceAll('ß', 'ss').replaceAll('ς', 'σ')),
  ];
}

function stripMethod(name: string, sides: 'both' | 'left' | 'right'): [string, NativeFunction] {
  return [
    name,
    strMethod(name, [['chars', null]], (rendering, self, characters) => {
      return sameKind(self, stripText(rendering, textOf(self), characters!, sides));
    }),
  ];
}

/** Implements Python's `strip`, `lstrip` and `rstrip`, and charges steps for the work. */
export function stripText(
  rendering: Rendering,
  text: string,
  characters: Value,
  sides: 'both' | 'left' | 'right',
): string {
  const set = optionalText(characters);
  rendering.budget.string(text.length);
  if (set !== undefined) rendering.budget.items(text.length + set.length);
  return operations.strip(text, set, sides);
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
        return operations.splitLines(text, flagArgument(keepEnds!)).map((line) => sameKind(self, line));
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
        rendering.budget.characters(start.length);
        return text.startsWith(start) ? text.slice(start.length) : text;
      }),
    ],
    [
      'removesuffix',
      strMethod('removesuffix', ['suffix'], (rendering, self, suffix) => {
        const [text, end] = [textOf(self), textArgument(suffix!)];
        rendering.budget.characters(end.length);
        return end !== '' && text.endsWith(end) ? text.slice(0, -end.length) : text;
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
  const parts =
    at === undefined
      ? (right ? operations.splitSpaceRight : operations.splitSpace)(text, limit)
      : (right ? operations.splitAtRight : operations.splitAt)(text, at, limit);
  return parts.map((part) => sameKind(self, part));
}

function partition(rendering: Rendering, self: Self, separator: string, from: 'left' | 'right'): Tuple {
  if (separator === '') throw valueError('empty separator');
  const text = textOf(self);
  rendering.budget.characters(text.length);
  const at = from === 'right' ? findBackward(text, separator)(text.length) : findForward(text, separator)(0);
  const parts =
    at >= 0
      ? [text.slice(0, at), separator, text.slice(at + separator.length)]
      : from === 'right'
        ? ['', '', text]
        : [text, '', ''];
  return new Tuple(parts.map((part) => sameKind(self, part)));
}

function join(rendering: Rendering, self: Self, iterable: Value): Value {
  const parts: Value[] = [];
  for (const item of items(iterable!, rendering)) {
    if (!isString(item)) {
      if (self instanceof Markup) parts.push(self, escapeToMarkup(item, rendering));
      else
        throw typeError(`sequence item ${parts.length / 2}: expected str instance, ${typeName(item)} found`);
    } else {
      parts.push(self, item);
    }
  }
  if (self instanceof Markup) return joinMarkup(parts.slice(1), rendering);
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
      : textArgument(value);
  return sameKind(
    self,
    replaceText(rendering, textOf(self), {
      old: argument(old),
      by: argument(by),
      limit: integerArgument(count),
    }),
  );
}

/** Implements Python's `replace`, and charges steps for the work. */
export function replaceText(
  rendering: Rendering,
  text: string,
  change: { old: string; by: string; limit: number },
): string {
  const { old, by, limit } = change;
  rendering.budget.characters(text.length);
  if (old === '') rendering.budget.items(text.length);
  rendering.budget.string(operations.replacedLength(text, old, by));
  return operations.replace(text, old, by, limit);
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
