import { RenderFailure, typeError, valueError } from '../errors.js';
import type { Runtime } from '../evaluator/runtime.js';
import { defineFunction, type NativeFunction, type Parameter } from '../evaluator/signature.js';
import { strFormat } from '../format/str-format.js';
import { isIdentifier, isSpaceCode } from '../lexer/characters.js';
import { Dict } from '../values/dict.js';
import { items } from '../values/iterate.js';
import { Markup } from '../values/markup.js';
import { escapeToMarkup, joinMarkup } from '../values/markup-text.js';
import { codePointLength, codePoints, isString, sameKind, textOf } from '../values/text.js';
import { typeName } from '../values/type-name.js';
import { Undefined } from '../values/undefined.js';
import { Tuple, type Value } from '../values/value.js';
import { flagArgument, integerArgument, optionalText, textArgument } from './arguments.js';
import * as operations from './text-operations.js';

type Self = string | Markup;

/** Python's `str` methods; on Markup they give Markup, and escape the strings that they are given. */
export const STR_METHODS: ReadonlyMap<string, NativeFunction> = new Map<string, NativeFunction>([
  ...caseMethods(),
  ...splitMethods(),
  ...searchMethods(),
  ...paddingMethods(),
  ...predicateMethods(),
  [
    'format',
    { name: 'format', call: (args, runtime) => formatCall(args.positional, args.keywords, runtime) },
  ],
  [
    'format_map',
    method('format_map', ['mapping'], (runtime, self, mapping) => formatMap(self, mapping!, runtime)),
  ],
  ['join', method('join', ['iterable'], join)],
  ['replace', method('replace', ['old', 'new', ['count', -1n]], replaceMethod)],
]);

function method(
  name: string,
  parameters: readonly Parameter[],
  run: (runtime: Runtime, self: Self, ...values: Value[]) => Value,
): NativeFunction {
  return defineFunction(name, ['self', ...parameters], (runtime, self, ...values) =>
    run(runtime, self as Self, ...values),
  );
}

/** A method over the bare text, whose result is of the kind of `self`. */
function textMethod(name: string, run: (text: string) => string): [string, NativeFunction] {
  return [
    name,
    method(name, [], (runtime, self) => {
      const text = textOf(self);
      runtime.budget.string(text.length);
      return sameKind(self, run(text));
    }),
  ];
}

function caseMethods(): [string, NativeFunction][] {
  return [
    textMethod('upper', (text) => text.toUpperCase()),
    textMethod('lower', (text) => text.toLowerCase()),
    textMethod('title', operations.title),
    textMethod('capitalize', operations.capitalize),
    textMethod('swapcase', operations.swapCase),
    textMethod('casefold', (text) => text.toLowerCase().replaceAll('ß', 'ss').replaceAll('ς', 'σ')),
  ];
}

function stripMethod(name: string, sides: 'both' | 'left' | 'right'): [string, NativeFunction] {
  return [
    name,
    method(name, [['chars', null]], (runtime, self, characters) => {
      const text = textOf(self);
      runtime.budget.string(text.length);
      if (characters !== null) runtime.budget.items(text.length);
      return sameKind(self, operations.strip(text, optionalText(characters!), sides));
    }),
  ];
}

function splitMethods(): [string, NativeFunction][] {
  const parameters: Parameter[] = [
    ['sep', null],
    ['maxsplit', -1n],
  ];
  const split = (name: string, right: boolean): [string, NativeFunction] => [
    name,
    method(name, parameters, (runtime, self, separator, limit) =>
      splitText(runtime, { self, separator: separator!, limit: integerArgument(limit!), right }),
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
      method('splitlines', [['keepends', false]], (runtime, self, keepEnds) => {
        const text = textOf(self);
        runtime.budget.list(text.length);
        return operations.splitLines(text, flagArgument(keepEnds!)).map((line) => sameKind(self, line));
      }),
    ],
    [
      'partition',
      method('partition', ['sep'], (_, self, separator) => partition(self, textArgument(separator!), false)),
    ],
    [
      'rpartition',
      method('rpartition', ['sep'], (_, self, separator) => partition(self, textArgument(separator!), true)),
    ],
    [
      'removeprefix',
      method('removeprefix', ['prefix'], (_, self, prefix) => {
        const [text, start] = [textOf(self), textArgument(prefix!)];
        return text.startsWith(start) ? text.slice(start.length) : text;
      }),
    ],
    [
      'removesuffix',
      method('removesuffix', ['suffix'], (_, self, suffix) => {
        const [text, end] = [textOf(self), textArgument(suffix!)];
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

function splitText(runtime: Runtime, { self, separator, limit, right }: Split): Value[] {
  const text = textOf(self);
  runtime.budget.list(text.length);
  const at = optionalText(separator);
  if (at === '') throw valueError('empty separator');
  const parts =
    at === undefined
      ? (right ? operations.splitSpaceRight : operations.splitSpace)(text, limit)
      : (right ? operations.splitAtRight : operations.splitAt)(text, at, limit);
  return parts.map((part) => sameKind(self, part));
}

function partition(self: Self, separator: string, right: boolean): Tuple {
  if (separator === '') throw valueError('empty separator');
  const text = textOf(self);
  const at = right ? text.lastIndexOf(separator) : text.indexOf(separator);
  const parts =
    at >= 0
      ? [text.slice(0, at), separator, text.slice(at + separator.length)]
      : right
        ? ['', '', text]
        : [text, '', ''];
  return new Tuple(parts.map((part) => sameKind(self, part)));
}

function searchMethods(): [string, NativeFunction][] {
  const parameters: Parameter[] = ['sub', ['start', null], ['end', null]];
  const search = (
    name: string,
    run: (text: string, part: string, runtime: Runtime) => number,
    fail: boolean,
  ): [string, NativeFunction] => [
    name,
    method(name, parameters, (runtime, self, sub, start, end) => {
      const { text, offset } = window(textOf(self), start!, end!, runtime);
      const found = run(text, textArgument(sub!), runtime);
      if (found < 0 && fail) throw valueError('substring not found');
      return BigInt(found < 0 ? found : found + offset);
    }),
  ];
  const ends = (name: 'startswith' | 'endswith'): [string, NativeFunction] => [
    name,
    method(name, parameters, (runtime, self, sub, start, end) => {
      const { text } = window(textOf(self), start!, end!, runtime);
      return affixes(name, sub!).some((part) =>
        name === 'startswith' ? text.startsWith(part) : text.endsWith(part),
      );
    }),
  ];
  const first = (text: string, part: string) => codePointIndex(text, text.indexOf(part));
  const last = (text: string, part: string) => codePointIndex(text, text.lastIndexOf(part));
  return [
    search('find', first, false),
    search('rfind', last, false),
    search('index', first, true),
    search('rindex', last, true),
    [
      'count',
      method('count', parameters, (runtime, self, sub, start, end) => {
        const { text } = window(textOf(self), start!, end!, runtime);
        const part = textArgument(sub!);
        return BigInt(part === '' ? codePointLength(text) + 1 : text.split(part).length - 1);
      }),
    ],
    ends('startswith'),
    ends('endswith'),
  ];
}

function codePointIndex(text: string, index: number): number {
  return index < 0 ? index : codePointLength(text.slice(0, index));
}

/** The part of a text between two Python indices, and where it starts, in code points. */
function window(text: string, start: Value, end: Value, runtime: Runtime): { text: string; offset: number } {
  runtime.budget.characters(text.length);
  if (start === null && end === null) return { text, offset: 0 };
  runtime.budget.items(text.length);
  const points = codePoints(text);
  const from = start === null ? 0 : integerArgument(start);
  const offset = Math.max(0, from < 0 ? from + points.length : from);
  const to = end === null ? points.length : integerArgument(end);
  return { text: points.slice(offset, to < 0 ? Math.max(0, to + points.length) : to).join(''), offset };
}

function affixes(name: string, value: Value): string[] {
  if (isString(value)) return [textOf(value)];
  if (value instanceof Tuple) return value.items.map(textArgument);
  throw typeError(`${name} first arg must be str or a tuple of str, not ${typeName(value)}`);
}

function paddingMethods(): [string, NativeFunction][] {
  const padded = (name: string, side: 'left' | 'right' | 'center'): [string, NativeFunction] => [
    name,
    method(name, ['width', ['fillchar', ' ']], (runtime, self, width, fillCharacter) => {
      const fill = textArgument(fillCharacter!);
      if (codePointLength(fill) !== 1)
        throw typeError('The fill character must be exactly one character long');
      const wanted = integerArgument(width!);
      runtime.budget.string(Math.max(wanted * fill.length, textOf(self).length));
      return sameKind(self, operations.pad(textOf(self), { width: wanted, fill, side }));
    }),
  ];
  return [
    padded('ljust', 'right'),
    padded('rjust', 'left'),
    padded('center', 'center'),
    [
      'zfill',
      method('zfill', ['width'], (runtime, self, width) => {
        const wanted = integerArgument(width!);
        runtime.budget.string(Math.max(wanted, textOf(self).length));
        const [, sign = '', digits = ''] = /^([+-]?)([\s\S]*)$/.exec(textOf(self)) ?? [];
        return sameKind(
          self,
          sign + operations.pad(digits, { width: wanted - sign.length, fill: '0', side: 'left' }),
        );
      }),
    ],
    [
      'expandtabs',
      method('expandtabs', [['tabsize', 8n]], (runtime, self, tabSize) =>
        sameKind(self, expandTabs(textOf(self), integerArgument(tabSize!), runtime)),
      ),
    ],
  ];
}

function expandTabs(text: string, tabSize: number, runtime: Runtime): string {
  runtime.budget.string(text.length + (text.split('\t').length - 1) * Math.max(0, tabSize));
  let result = '';
  let column = 0;
  for (const character of text) {
    if (character === '\t') {
      const width = tabSize > 0 ? tabSize - (column % tabSize) : 0;
      result += ' '.repeat(width);
      column += width;
    } else {
      result += character;
      column = character === '\n' || character === '\r' ? 0 : column + 1;
    }
  }
  return result;
}

function predicateMethods(): [string, NativeFunction][] {
  const every = (name: string, holds: (character: string) => boolean): [string, NativeFunction] =>
    predicate(name, (text) => text !== '' && codePoints(text).every(holds));
  const like = (pattern: RegExp) => (character: string) => pattern.test(character);
  return [
    every('isalpha', like(/\p{L}/u)),
    every('isalnum', like(/[\p{L}\p{N}]/u)),
    every('isdecimal', like(/\p{Nd}/u)),
    every(
      'isdigit',
      like(
        /[\p{Nd}\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u2080-\u2089\u2460-\u2468\u2474-\u247c\u2488-\u2490\u24ea\u24f5-\u24fd\u24ff\u2776-\u277e\u2780-\u2788\u278a-\u2792]/u,
      ),
    ),
    every('isnumeric', like(/\p{N}/u)),
    every('isspace', (character) => isSpaceCode(character.charCodeAt(0))),
    predicate('isascii', (text) => !/\P{ASCII}/u.test(text)),
    predicate('isidentifier', isIdentifier),
    predicate('isprintable', (text) => !/[\p{C}\p{Z}]/u.test(text.replaceAll(' ', ''))),
    predicate('isupper', isUpper),
    predicate('islower', isLower),
    predicate('istitle', isTitle),
  ];
}

function predicate(name: string, run: (text: string) => boolean): [string, NativeFunction] {
  return [
    name,
    method(name, [], (runtime, self) => {
      runtime.budget.items(textOf(self).length);
      return run(textOf(self));
    }),
  ];
}

export function isUpper(text: string): boolean {
  return /\p{Cased}/u.test(text) && !/[\p{Lowercase}\p{Lt}]/u.test(text);
}

export function isLower(text: string): boolean {
  return /\p{Cased}/u.test(text) && !/[\p{Uppercase}\p{Lt}]/u.test(text);
}

function isTitle(text: string): boolean {
  let afterCased = false;
  let seen = false;
  for (const character of text) {
    const upper = /[\p{Uppercase}\p{Lt}]/u.test(character);
    const lower = /\p{Lowercase}/u.test(character);
    if ((upper && afterCased) || (lower && !afterCased)) return false;
    afterCased = upper || lower;
    seen ||= afterCased;
  }
  return seen;
}

function join(runtime: Runtime, self: Self, iterable: Value): Value {
  const parts: Value[] = [];
  for (const item of items(iterable!, runtime)) {
    if (!isString(item)) {
      if (self instanceof Markup) parts.push(self, escapeToMarkup(item, runtime));
      else
        throw typeError(`sequence item ${parts.length / 2}: expected str instance, ${typeName(item)} found`);
    } else {
      parts.push(self, item);
    }
  }
  if (self instanceof Markup) return joinMarkup(parts.slice(1), runtime);
  let text = '';
  for (const part of parts.slice(1)) {
    text += textOf(part as Self);
    runtime.budget.string(text.length);
  }
  return text;
}

function replaceMethod(runtime: Runtime, self: Self, old: Value, by: Value, count: Value): Value {
  const argument = (value: Value) =>
    self instanceof Markup && self.kind === 'html'
      ? escapeToMarkup(value, runtime).text
      : textArgument(value);
  return sameKind(
    self,
    replaceText(runtime, textOf(self), {
      old: argument(old),
      by: argument(by),
      limit: integerArgument(count),
    }),
  );
}

/** `replace`, charged before it is done. */
export function replaceText(
  runtime: Runtime,
  text: string,
  change: { old: string; by: string; limit: number },
): string {
  const { old, by, limit } = change;
  runtime.budget.characters(text.length);
  runtime.budget.string(operations.replacedLength(text, old, by));
  return operations.replace(text, old, by, limit);
}

function formatCall(
  positional: readonly Value[],
  keywords: ReadonlyMap<string, Value>,
  runtime: Runtime,
): Value {
  const [self, ...args] = positional;
  return strFormat(self as Self, { positional: args, keyword: (name) => keywords.get(name) }, runtime);
}

function formatMap(self: Self, mapping: Value, runtime: Runtime): Value {
  if (mapping instanceof Undefined) mapping.fail();
  if (!(mapping instanceof Dict))
    throw new RenderFailure('TypeError', `'${typeName(mapping)}' object is not subscriptable`);
  return strFormat(self, { positional: [], keyword: (name) => mapping.getString(name) }, runtime);
}
