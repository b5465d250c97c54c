import { typeError, valueError } from '../failures.js';
import type { Rendering } from '../rendering.js';
import { findBackward, findForward, partsBetween } from '../values/find-text.js';
import type { NativeFunction, Parameter } from '../values/signature.js';
import { codePointLength, codePoints, isString, textOf } from '../values/text.js';
import { typeName } from '../values/type-name.js';
import { Tuple, type Value } from '../values/value.js';
import { integerArgument, strMethod, textArgument } from './arguments.js';

/** Returns the `str` methods that search. */
export function searchMethods(): [string, NativeFunction][] {
  const parameters: Parameter[] = ['sub', ['start', null], ['end', null]];
  const search = (
    name: string,
    run: (text: string, part: string, rendering: Rendering) => number,
    fail: boolean,
  ): [string, NativeFunction] => [
    name,
    strMethod(name, parameters, (rendering, self, sub, start, end) => {
      const { text, offset } = searchedPart(textOf(self), start!, end!, rendering);
      const found = run(text, textArgument(sub!), rendering);
      if (found < 0 && fail) throw valueError('substring not found');
      return BigInt(found < 0 ? found : found + offset);
    }),
  ];
  const ends = (name: 'startswith' | 'endswith'): [string, NativeFunction] => [
    name,
    strMethod(name, parameters, (rendering, self, sub, start, end) => {
      const { text } = searchedPart(textOf(self), start!, end!, rendering);
      return affixes(name, sub!, rendering).some((part) => {
        rendering.budget.characters(part.length);
        return name === 'startswith' ? text.startsWith(part) : text.endsWith(part);
      });
    }),
  ];
  const first = (text: string, part: string) => codePointIndex(text, findForward(text, part)(0));
  const last = (text: string, part: string) => codePointIndex(text, findBackward(text, part)(text.length));
  return [
    search('find', first, false),
    search('rfind', last, false),
    search('index', first, true),
    search('rindex', last, true),
    [
      'count',
      strMethod('count', parameters, (rendering, self, sub, start, end) => {
        const { text } = searchedPart(textOf(self), start!, end!, rendering);
        const part = textArgument(sub!);
        return BigInt(part === '' ? codePointLength(text) + 1 : partsBetween(text, part).length - 1);
      }),
    ],
    ends('startswith'),
    ends('endswith'),
  ];
}

function codePointIndex(text: string, index: number): number {
  return index < 0 ? index : codePointLength(text.slice(0, index));
}

/** Returns the part of a text between two Python indices, and its start in code points. */
function searchedPart(
  text: string,
  start: Value,
  end: Value,
  rendering: Rendering,
): { text: string; offset: number } {
  rendering.budget.characters(text.length);
  if (start === null && end === null) return { text, offset: 0 };
  rendering.budget.items(text.length);
  const points = codePoints(text);
  const from = start === null ? 0 : integerArgument(start);
  const offset = Math.max(0, from < 0 ? from + points.length : from);
  const to = end === null ? points.length : integerArgument(end);
  return { text: points.slice(offset, to < 0 ? Math.max(0, to + points.length) : to).join(''), offset };
}

function affixes(name: string, value: Value, rendering: Rendering): string[] {
  if (isString(value)) return [textOf(value)];
  if (value instanceof Tuple) {
    rendering.budget.items(value.items.length);
    return value.items.map(textArgument);
  }
  throw typeError(`${name} first arg must be str or a tuple of str, not ${typeName(value)}`);
}
