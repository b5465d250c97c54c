import { isIdentifier, isSpaceCode } from '../lexer/characters.js';
import type { NativeFunction } from '../values/signature.js';
import { codePoints, textOf } from '../values/text.js';
import { strMethod } from './arguments.js';

/** Returns the `str` methods whose names begin with `is`. */
export function predicateMethods(): [string, NativeFunction][] {
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
    strMethod(name, [], (rendering, self) => {
      rendering.budget.items(textOf(self).length);
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
