import type { Budget } from '../budget.js';
import type { Runtime } from '../evaluator/runtime.js';
import { Markup } from '../values/markup.js';
import { str } from '../values/repr.js';
import type { Value } from '../values/value.js';
import { escapeJsonString } from './escape.js';

/**
 * Text that is partly the template's own and partly a value's, as a macro, a set block or a filter block captures
 * it. The characters of the template's own part that mean something in JSON are replaced by marks (the last
 * private-use characters of Unicode); a value's part is left alone. So filters see the values as they are, nothing
 * is escaped twice, and printing it turns marks back and escapes the rest.
 */
const MARK_BASE = 0x10ff00;
const MARKED_CHARACTERS = [
  '"',
  '\\',
  ...Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code)),
  '\u2028',
  '\u2029',
];
const MARK_OF: ReadonlyMap<string, string> = new Map(
  MARKED_CHARACTERS.map((character, index) => [character, String.fromCodePoint(MARK_BASE + index)]),
);
const CHARACTER_OF: ReadonlyMap<string, string> = new Map(
  MARKED_CHARACTERS.map((character, index) => [String.fromCodePoint(MARK_BASE + index), character]),
);

const TRUSTED_SPECIAL = /["\\\p{Cc}\u2028\u2029]/gu;
/** Stands before a character that a value or a template brings along and that would look like a mark. */
const LITERAL = '\u{10ff24}';
const FOREIGN_MARK = /[\u{10ff00}-\u{10ff24}]/gu;
const ANY_MARK = /[\u{10ff00}-\u{10ff24}]/u;
const MARKED = /\u{10ff24}([\ue000-\ue024])|[\u{10ff00}-\u{10ff23}]/gu;
const LITERAL_BASE = 0xe000;

/** The template's own text, marked. */
export function markTrusted(text: string): string {
  return markForeign(text).replace(TRUSTED_SPECIAL, (character) => MARK_OF.get(character) ?? character);
}

/** A value's text: only a character that looks like a mark is changed. */
function markForeign(text: string): string {
  if (!ANY_MARK.test(text)) return text;
  return text.replace(FOREIGN_MARK, (character) => {
    const index = (character.codePointAt(0) ?? 0) - MARK_BASE;
    return LITERAL + String.fromCharCode(LITERAL_BASE + index);
  });
}

function unmark(mark: string, literal: string | undefined): string {
  if (literal === undefined) return CHARACTER_OF.get(mark)!;
  return String.fromCodePoint(MARK_BASE + literal.charCodeAt(0) - LITERAL_BASE);
}

/** The control character that a mark stands for; undefined for everything else. */
export function markedSpaceCode(codePoint: number): number | undefined {
  const index = codePoint - MARK_BASE;
  if (index < 0 || index >= MARKED_CHARACTERS.length) return undefined;
  return MARKED_CHARACTERS[index]!.charCodeAt(0);
}

/** A captured text as a value: plain where nothing in it is marked. */
export function fromMarked(text: string): Markup | string {
  return ANY_MARK.test(text) ? new Markup(text, 'marked') : text;
}

/** What a marked text says: for comparing it, and for `tojson`. */
export function plainText(text: string): string {
  return ANY_MARK.test(text) ? text.replace(MARKED, unmark) : text;
}

/** Marks turned back, the rest escaped for the inside of a JSON string. */
export function printMarked(text: string, budget: Budget): string {
  budget.items(text.length);
  return escapeJsonString(text, budget).replace(MARKED, unmark);
}

export function joinMarked(parts: readonly Value[], runtime: Runtime): Markup | string {
  let text = '';
  for (const part of parts) {
    text += markedTextOf(part, runtime);
    runtime.budget.string(text.length);
  }
  return fromMarked(text);
}

/** Any value as marked text. */
export function markedTextOf(value: Value, runtime: Runtime): string {
  if (!(value instanceof Markup)) return markForeign(str(value, runtime));
  if (value.kind === 'marked') return value.text;
  return value.kind === 'json' ? markTrusted(value.text) : markForeign(value.text);
}
