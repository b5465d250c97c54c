import type { Runtime } from '../evaluator/runtime.js';
import { RenderFailure, typeError } from '../failures.js';
import { integerArgument, numberArgument } from '../methods/arguments.js';
import { splitLines } from '../methods/text-operations.js';
import { binary } from '../values/arithmetic.js';
import { length } from '../values/iterate.js';
import { Markup, Undefined } from '../values/simple-values.js';
import { getSlice } from '../values/subscript.js';
import { codePointLength, isString, sameKind, textOf } from '../values/text.js';
import { isTrue } from '../values/truth.js';
import { typeName } from '../values/type-name.js';
import type { Value } from '../values/value.js';
import { type Filter, filter } from './filter.js';
import { wrapText } from './wrap-text.js';

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
  const indention = isString(width) ? textOf(width) : ' '.repeat(indentWidth(width, runtime));
  const text = textOf(value);
  runtime.budget.characters(text.length);
  const whole = splitLines(`${text}\n`, true);
  runtime.budget.items(whole.length);
  const lines = whole.map((line) => splitEnd(line, value));
  runtime.budget.string(text.length + lines.length * (indention.length + 1));
  let result = isTrue(first) ? indention : '';
  for (const [index, { content, end }] of lines.entries()) {
    const isIndented = index > 0 && (content !== '' || isTrue(blank));
    result += (isIndented ? indention : '') + content + (index < lines.length - 1 ? end : '');
  }
  return sameKind(value, result);
}

/**
 * Splits a line into its text and its line end. The returned line end is LF. Only in captured text, the line end is
 * returned unchanged, because it can be encoded as a mark (`json/marked-text.ts`).
 */
function splitEnd(line: string, value: string | Markup): { content: string; end: string } {
  const [content = ''] = splitLines(line);
  const isMarked = value instanceof Markup && value.kind === 'marked';
  return { content, end: isMarked ? line.slice(content.length) : '\n' };
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
  const cut = getSlice(value, { start: null, stop: BigInt(limit - endLength), step: null }, runtime);
  if (isTrue(killWords)) return binary('+', cut, end, runtime);
  if (!isString(cut)) throw typeError(`'${typeName(cut)}' object has no attribute 'rsplit'`);
  const text = textOf(cut);
  const space = text.lastIndexOf(' ');
  return binary('+', sameKind(cut, space === -1 ? text : text.slice(0, space)), end, runtime);
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
  const newline = wrapString === null ? '\n' : textOf(wrapString as string);
  const columns = integerArgument(width);
  runtime.budget.charge(wrapSteps + text.length * 2);
  const options = {
    width: columns,
    breakLongWords: isTrue(breakLongWords),
    breakOnHyphens: isTrue(breakOnHyphens),
  };
  const wrapped = splitLines(text).map((line) => wrapText(line, options));
  const lines = wrapped.reduce((sum, part) => sum + Math.max(1, part.length), 0);
  runtime.budget.string(text.length + lines * codePointLength(newline));
  const joined = wrapped.map((part) => part.join(newline)).join(newline);
  return value instanceof Markup && value.kind === 'marked' ? sameKind(value, joined) : joined;
}
