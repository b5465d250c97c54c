import type { Budget } from '../budget.js';
import type { Rendering } from '../rendering.js';
import { str } from '../values/repr.js';
import { Markup } from '../values/simple-values.js';
import type { Value } from '../values/value.js';
import { escapeJsonString } from './escape.js';

/**
 * Marked text. A macro, set block or filter block captures text that comes partly from the template and partly from
 * values. Only text from values must be escaped when the captured text is printed. In text from the template,
 * characters with a meaning in JSON are therefore replaced by marks, which are private-use characters of Unicode
 * (U+10FF00 to U+10FF23). Printing replaces marks by their characters and escapes everything else. Filters therefore
 * get unescaped values, and no text is escaped twice.
 */
const markBase = 0x10ff00;
const markedCharacters = [
  '"',
  '\\',
  ...Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code)),
  '\u2028',
  '\u2029',
];
const markOf: ReadonlyMap<string, string> = new Map(
  markedCharacters.map((character, index) => [character, String.fromCodePoint(markBase + index)]),
);
const characterOf: ReadonlyMap<string, string> = new Map(
  markedCharacters.map((character, index) => [String.fromCodePoint(markBase + index), character]),
);

const trustedSpecial = /["\\\p{Cc}\u2028\u2029]/gu;
/** Prefix of a character that `markForeign` has encoded because it is equal to a mark but is not used as one. */
const literalMark = '\u{10ff24}';
const foreignMark = /[\u{10ff00}-\u{10ff24}]/gu;
const anyMark = /[\u{10ff00}-\u{10ff24}]/u;
const marked = /\u{10ff24}([\ue000-\ue024])|[\u{10ff00}-\u{10ff23}]/gu;
const literalBase = 0xe000;

/**
 * Replaces characters with a meaning in JSON by marks, so that they are printed unescaped. Use it only for text that
 * the template itself contains.
 */
export function markTrusted(text: string, budget: Budget): string {
  return markForeign(text, budget).replace(trustedSpecial, (character) => {
    budget.step();
    return markOf.get(character) ?? character;
  });
}

/**
 * Encodes characters that are equal to a mark, so that `replaceMarks` does not replace them by other characters. All
 * other characters stay unchanged.
 */
function markForeign(text: string, budget: Budget): string {
  if (!anyMark.test(text)) return text;
  return text.replace(foreignMark, (character) => {
    budget.step();
    const index = (character.codePointAt(0) ?? 0) - markBase;
    return literalMark + String.fromCharCode(literalBase + index);
  });
}

function unmark(mark: string, literal: string | undefined): string {
  if (literal === undefined) return characterOf.get(mark)!;
  return String.fromCodePoint(markBase + literal.charCodeAt(0) - literalBase);
}

/**
 * Returns the code of the character that a mark stands for, or undefined if the given code point is not a mark. Methods
 * such as `strip` find the marks of whitespace with this function.
 */
export function unmarkedCode(codePoint: number): number | undefined {
  const index = codePoint - markBase;
  if (index < 0 || index >= markedCharacters.length) return undefined;
  return markedCharacters[index]!.charCodeAt(0);
}

/** Returns captured text as a value: Markup if it contains marks, otherwise a plain string. */
export function fromMarked(text: string): Markup | string {
  return anyMark.test(text) ? new Markup(text, 'marked') : text;
}

/** Replaces marks by their characters, without escapes. Comparisons and `tojson` need this text. */
export function plainText(text: string, budget: Budget): string {
  return anyMark.test(text) ? replaceMarks(text, budget) : text;
}

/** Replaces marks by their characters, and escapes all other text for the inside of a JSON string. */
export function printMarked(text: string, budget: Budget): string {
  return replaceMarks(escapeJsonString(text, budget), budget);
}

function replaceMarks(text: string, budget: Budget): string {
  budget.characters(text.length);
  return text.replace(marked, (mark: string, literal: string | undefined) => {
    budget.step();
    return unmark(mark, literal);
  });
}

export function joinMarked(parts: readonly Value[], rendering: Rendering): Markup | string {
  let text = '';
  for (const part of parts) {
    const added = markedTextOf(part, rendering);
    text += added;
    rendering.budget.grow(text.length, added.length);
  }
  return fromMarked(text);
}

/** Converts any value to marked text. Only Markup of the kind `marked` or `json` results in marks. */
export function markedTextOf(value: Value, rendering: Rendering): string {
  const { budget } = rendering;
  if (!(value instanceof Markup)) return markForeign(str(value, rendering), budget);
  if (value.kind === 'marked') return value.text;
  return value.kind === 'json' ? markTrusted(value.text, budget) : markForeign(value.text, budget);
}
