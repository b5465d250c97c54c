import type { Runtime } from '../evaluator/runtime.js';
import { RenderFailure } from '../failures.js';
import { percentFormat } from '../format/percent-format.js';
import { changeCase, surround } from '../json/captured-text.js';
import { isSpaceCode } from '../lexer/characters.js';
import { integerArgument } from '../methods/arguments.js';
import { replaceText, stripText } from '../methods/str-methods.js';
import { capitalize, padding } from '../methods/text-operations.js';
import { escapeToMarkup, softStr } from '../values/markup-text.js';
import { str } from '../values/repr.js';
import { Markup } from '../values/simple-values.js';
import { textOf, withoutHtml } from '../values/text.js';
import { Dict, Tuple, type Value } from '../values/value.js';
import { type Filter, filter } from './filter.js';

/** Returns the filters for strings. These filters convert other values to strings first. */
export function stringFilters(): Filter[] {
  return [
    caseFilter('upper', (text) => text.toUpperCase()),
    caseFilter('lower', (text) => text.toLowerCase()),
    caseFilter('capitalize', capitalize),
    caseFilter('title', titleWords),
    filter('trim', [['chars', null]], (runtime, value, characters) => {
      return stripText(runtime, softStr(value, runtime), characters!, 'both');
    }),
    filter('center', [['width', 80n]], (runtime, value, width) => {
      const text = softStr(value, runtime);
      const wanted = integerArgument(width!);
      runtime.budget.string(Math.max(wanted, textOf(text).length));
      return surround(text, ...padding(textOf(text), { width: wanted, fill: ' ', side: 'center' }));
    }),
    filter('replace', ['old', 'new', ['count', null]], replace),
    filter('wordcount', [], (runtime, value) => BigInt(countWords(softStr(value, runtime), runtime))),
    [
      'format',
      (args, runtime) => {
        const [value, ...positional] = args.positional;
        if (positional.length > 0 && args.keywords.size > 0) {
          throw new RenderFailure(
            'FilterArgumentError',
            "can't handle positional and keyword arguments at the same time",
          );
        }
        runtime.budget.items(args.keywords.size);
        const values = args.keywords.size > 0 ? Dict.fromStrings(args.keywords) : new Tuple(positional);
        return percentFormat(softStr(value!, runtime), values, runtime);
      },
    ],
  ];
}

function caseFilter(name: string, run: (text: string) => string): Filter {
  return filter(name, [], (runtime, value) => {
    const text = softStr(value, runtime);
    runtime.budget.string(textOf(text).length);
    if (name === 'title') runtime.budget.charge(textOf(text).length / 2);
    return changeCase(name === 'title' ? withoutHtml(text) : text, run);
  });
}

/**
 * Capitalises words. A word starts after whitespace, a hyphen or an opening bracket. Unlike in `str.title`, no word
 * starts after an apostrophe.
 */
function titleWords(text: string): string {
  let result = '';
  let start = 0;
  for (let index = 0; index <= text.length; index++) {
    if (index < text.length && !isWordBreak(text, index)) continue;
    result += titleWord(text.slice(start, index)) + text.charAt(index);
    start = index + 1;
  }
  return result;
}

function isWordBreak(text: string, index: number): boolean {
  return '-({[<'.includes(text.charAt(index)) || isSpaceCode(text.charCodeAt(index));
}

function titleWord(word: string): string {
  if (word === '') return '';
  const head = String.fromCodePoint(word.codePointAt(0) ?? 0);
  return head.toUpperCase() + word.slice(head.length).toLowerCase();
}

function replace(runtime: Runtime, value: Value, old: Value, by: Value, count: Value): Value {
  const limit = count === null ? -1 : integerArgument(count);
  const text = softStr(value, runtime);
  if (!runtime.autoescape) {
    return replaceText(runtime, withoutHtml(text), {
      old: str(old, runtime),
      by: softStr(by, runtime),
      limit,
    });
  }
  const escapes = old instanceof Markup || (by instanceof Markup && !(value instanceof Markup));
  const subject = escapes ? escapeToMarkup(value, runtime) : text;
  const argument = (part: Value) =>
    subject instanceof Markup && subject.kind === 'html'
      ? escapeToMarkup(part, runtime).text
      : softStr(part, runtime);
  return replaceText(runtime, subject, { old: textOf(argument(old)), by: argument(by), limit });
}

function countWords(text: string | Markup, runtime: Runtime): number {
  runtime.budget.charge(textOf(text).length / 4);
  const words = textOf(text).match(/[\p{L}\p{N}_]+/gu)?.length ?? 0;
  runtime.budget.items(words);
  return words;
}
