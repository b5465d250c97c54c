import type { Runtime } from '../evaluator/runtime.js';
import { RenderFailure, typeError } from '../failures.js';
import { cut, isTrusted, TextBuilder } from '../json/captured-text.js';
import { integerArgument, numberArgument } from '../methods/arguments.js';
import { splitLines } from '../methods/text-operations.js';
import { binary } from '../values/arithmetic.js';
import { length } from '../values/iterate.js';
import { type Markup, Undefined } from '../values/simple-values.js';
import { getSlice } from '../values/subscript.js';
import { codePointLength, isString, sameKind, textOf } from '../values/text.js';
import { isTrue } from '../values/truth.js';
import { typeName } from '../values/type-name.js';
import type { Value } from '../values/value.js';
import { type Filter, filter } from './filter.js';
import { type WrapOptions, wrapText } from './wrap-text.js';

/** Default of Jinja2's setting `policies['truncate.leeway']`, in characters. */
const truncateLeeway = 5n;

/** Returns the filters `indent`, `truncate` and `wordwrap`. */
export function textLayoutFilters(): Filter[] {
  return [
    filter(
      'indent',
      [
        ['width', 4n],
        ['first', false],
        ['blank', false],
      ],
      indent,
    ),
    filter(
      'truncate',
      [
        ['length', 255n],
        ['killwords', false],
        ['end', '...'],
        ['leeway', null],
      ],
      truncate,
    ),
    filter(
      'wordwrap',
      [
        ['width', 79n],
        ['break_long_words', true],
        ['wrapstring', null],
        ['break_on_hyphens', true],
      ],
      wordwrap,
    ),
  ];
}

function indent(runtime: Runtime, value: Value, width: Value, first: Value, blank: Value): Value {
  if (value instanceof Undefined) value.fail();
  if (!isString(value)) throw typeError(`unsupported operand type(s) for +=: '${typeName(value)}' and 'str'`);
  const indention = isString(width) ? width : ' '.repeat(indentWidth(width, runtime));
  const text = textOf(value);
  runtime.budget.characters(text.length);
  const lines = splitLines(`${text}\n`, (start, end) => [start, end] as const);
  runtime.budget.items(lines.length);
  runtime.budget.string(text.length + lines.length * (textOf(indention).length + 1));
  const builder = new TextBuilder();
  if (isTrue(first)) builder.append(indention);
  for (const [index, [start, end]] of lines.entries()) {
    if (index > 0) {
      appendLineFeed(builder, value, start - 1);
      if (end > start || isTrue(blank)) builder.append(indention);
    }
    builder.appendPart(value, start, end);
  }
  return sameText(value, builder.value());
}

/** Appends LF, with the trust of the line end whose last character is at `index` if that is LF too. */
function appendLineFeed(builder: TextBuilder, value: string | Markup, index: number): void {
  if (textOf(value).charAt(index) === '\n') builder.appendPart(value, index, index + 1);
  else builder.append('\n');
}

/** Returns a text as HTML Markup if `like` is HTML Markup, otherwise unchanged. */
function sameText(like: string | Markup, text: string | Markup): string | Markup {
  return isTrusted(text) ? text : sameKind(like, textOf(text));
}

function indentWidth(width: Value, runtime: Runtime): number {
  const wanted = integerArgument(width);
  runtime.budget.string(wanted);
  return Math.max(0, wanted);
}

function truncate(
  runtime: Runtime,
  value: Value,
  wanted: Value,
  killWords: Value,
  end: Value,
  leeway: Value,
): Value {
  const endLength = length(end, runtime);
  const limit = numberArgument(wanted, "'>=' not supported between instances of 'str' and 'int'");
  const slack = numberArgument(leeway ?? truncateLeeway, 'leeway must be an integer');
  if (limit < endLength) throw assertion(`expected length >= ${endLength}, got ${limit}`);
  if (slack < 0) throw assertion(`expected leeway >= 0, got ${slack}`);
  if (length(value, runtime) <= limit + slack) return value;
  // A float stays a float, which a slice rejects.
  const stop = binary('-', wanted, BigInt(endLength), runtime);
  const start = getSlice(value, { start: null, stop, step: null }, runtime);
  if (isTrue(killWords)) return binary('+', start, end, runtime);
  if (!isString(start)) throw typeError(`'${typeName(start)}' object has no attribute 'rsplit'`);
  const text = textOf(start);
  const space = text.lastIndexOf(' ');
  return binary('+', space === -1 ? start : cut(start, 0, space), end, runtime);
}

function assertion(message: string): RenderFailure {
  return new RenderFailure('AssertionError', message);
}

/** Budget steps for one call of `wordwrap` (duration: 2 µs, even for a short text). */
const wrapSteps = 10;

function wordwrap(
  runtime: Runtime,
  value: Value,
  width: Value,
  breakLongWords: Value,
  wrapString: Value,
  breakOnHyphens: Value,
): Value {
  if (value instanceof Undefined) value.fail();
  if (!isString(value)) throw typeError(`'${typeName(value)}' object has no attribute 'splitlines'`);
  const text = textOf(value);
  const newline = wrapString === null ? '\n' : separatorArgument(wrapString);
  const columns = integerArgument(width);
  runtime.budget.charge(wrapSteps + text.length * 2);
  runtime.budget.characters(textOf(newline).length);
  const options = {
    width: columns,
    breakLongWords: isTrue(breakLongWords),
    breakOnHyphens: isTrue(breakOnHyphens),
  };
  const lines = splitLines(text, (start, end) => wrapLine(text, { start, end }, options)).flat();
  runtime.budget.string(text.length + lines.length * codePointLength(textOf(newline)));
  const builder = new TextBuilder();
  for (const [index, [start, end]] of lines.entries()) {
    if (index > 0) builder.append(newline);
    builder.appendPart(value, start, end);
  }
  return builder.value();
}

/** Returns the text between the lines. For other values, throws the error of Python's `wrapstring.join`. */
function separatorArgument(value: Value): string | Markup {
  if (isString(value)) return value;
  if (value instanceof Undefined) value.fail();
  throw new RenderFailure('AttributeError', `'${typeName(value)}' object has no attribute 'join'`);
}

type Range = readonly [start: number, end: number];

/** Wraps one line of a text. Returns the ranges of its parts in the text: one empty range for a blank line. */
function wrapLine(
  text: string,
  line: { start: number; end: number },
  options: WrapOptions,
): readonly Range[] {
  const parts = wrapText(text.slice(line.start, line.end), options);
  if (parts.length === 0) return [[line.start, line.start]];
  return parts.map(([start, end]): Range => [line.start + start, line.start + end]);
}
