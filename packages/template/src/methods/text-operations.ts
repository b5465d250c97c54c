import { isSpaceCode } from '../lexer/characters.js';
import { findBackward, findForward, partsBetween } from '../values/find-text.js';
import { codePointLength, codePoints } from '../values/text.js';

/** Returns the part of a text from `start` to `end`. `cut` of `json/captured-text.ts` returns it with its trust. */
export type Cut<Part> = (start: number, end: number) => Part;

/** Returns the range that Python's `strip`, `lstrip` and `rstrip` keep. Without `characters`, whitespace is stripped. */
export function strip(
  text: string,
  characters: string | undefined,
  sides: 'both' | 'left' | 'right',
): readonly [start: number, end: number] {
  if (characters === undefined) return stripSpace(text, sides);
  const set = new Set(codePoints(characters));
  const points = codePoints(text);
  let first = 0;
  let last = points.length - 1;
  let start = 0;
  let end = text.length;
  if (sides !== 'right') while (first <= last && set.has(points[first]!)) start += points[first++]!.length;
  if (sides !== 'left') while (last >= first && set.has(points[last]!)) end -= points[last--]!.length;
  return [start, end];
}

function stripSpace(text: string, sides: 'both' | 'left' | 'right'): readonly [start: number, end: number] {
  let start = 0;
  let end = text.length;
  if (sides !== 'right') while (start < end && isSpaceCode(text.charCodeAt(start))) start++;
  if (sides !== 'left') while (end > start && isSpaceCode(text.charCodeAt(end - 1))) end--;
  return [start, end];
}

const lineEnds: ReadonlySet<string> = new Set([
  '\n',
  '\r',
  '\v',
  '\f',
  '\x1c',
  '\x1d',
  '\x1e',
  '\x85',
  '\u2028',
  '\u2029',
]);

export function splitLines<Part>(text: string, part: Cut<Part>, keepEnds = false): Part[] {
  const lines: Part[] = [];
  let start = 0;
  for (let index = 0; index < text.length; index++) {
    const width = lineEnd(text, index);
    if (width === 0) continue;
    lines.push(part(start, keepEnds ? index + width : index));
    index += width - 1;
    start = index + 1;
  }
  if (start < text.length) lines.push(part(start, text.length));
  return lines;
}

/** Returns the length of the line end at `index`, or 0 if there is none. */
function lineEnd(text: string, index: number): number {
  const character = text.charAt(index);
  if (!lineEnds.has(character)) return 0;
  return character === '\r' && text.charAt(index + 1) === '\n' ? 2 : 1;
}

/** Implements Python's `split()` without a separator: runs of whitespace separate the parts. */
export function splitSpace<Part>(text: string, limit: number, part: Cut<Part>): Part[] {
  const parts: Part[] = [];
  let index = 0;
  for (;;) {
    while (index < text.length && isSpaceCode(text.charCodeAt(index))) index++;
    if (index >= text.length) return parts;
    if (limit >= 0 && parts.length >= limit) {
      parts.push(part(index, stripSpace(text, 'right')[1]));
      return parts;
    }
    const start = index;
    while (index < text.length && !isSpaceCode(text.charCodeAt(index))) index++;
    parts.push(part(start, index));
  }
}

export function splitSpaceRight<Part>(text: string, limit: number, part: Cut<Part>): Part[] {
  const parts: Part[] = [];
  let index = text.length;
  for (;;) {
    while (index > 0 && isSpaceCode(text.charCodeAt(index - 1))) index--;
    if (index === 0) break;
    if (limit >= 0 && parts.length >= limit) {
      parts.push(part(stripSpace(text, 'left')[0], index));
      break;
    }
    const end = index;
    while (index > 0 && !isSpaceCode(text.charCodeAt(index - 1))) index--;
    parts.push(part(index, end));
  }
  return parts.reverse();
}

export function splitAt<Part>(text: string, separator: string, limit: number, part: Cut<Part>): Part[] {
  const find = findForward(text, separator);
  const parts: Part[] = [];
  let start = 0;
  for (let at = find(0); at >= 0 && parts.length !== limit; at = find(start)) {
    parts.push(part(start, at));
    start = at + separator.length;
  }
  parts.push(part(start, text.length));
  return parts;
}

export function splitAtRight<Part>(text: string, separator: string, limit: number, part: Cut<Part>): Part[] {
  const find = findBackward(text, separator);
  const parts: Part[] = [];
  let end = text.length;
  while (limit < 0 || parts.length < limit) {
    const at = find(end);
    if (at === -1) break;
    parts.push(part(at + separator.length, end));
    end = at;
  }
  parts.push(part(0, end));
  return parts.reverse();
}

/**
 * Returns the parts of a text between which Python's `replace` inserts the new text. An empty `old` matches before,
 * between and after all characters.
 */
export function splitForReplace<Part>(text: string, old: string, limit: number, part: Cut<Part>): Part[] {
  if (old !== '') return splitAt(text, old, limit, part);
  const points = codePoints(text);
  const places = limit < 0 ? points.length + 1 : Math.min(limit, points.length + 1);
  const parts: Part[] = [];
  let start = 0;
  for (let place = 0; place < places; place++) {
    const end = place === 0 ? 0 : start + points[place - 1]!.length;
    parts.push(part(start, end));
    start = end;
  }
  parts.push(part(start, text.length));
  return parts;
}

/** Implements Python's `replace` for plain text. */
export function replace(
  text: string,
  { old, by, limit }: { old: string; by: string; limit: number },
): string {
  if (old !== '' && limit < 0) return partsBetween(text, old).join(by);
  return splitForReplace(text, old, limit, (start, end) => text.slice(start, end)).join(by);
}

/** Returns an upper bound of the length of the result of `replace`. */
export function replacedLength(text: string, old: string, by: string): number {
  if (by.length <= old.length) return text.length;
  const places = old === '' ? text.length + 1 : partsBetween(text, old).length - 1;
  return text.length + places * (by.length - old.length);
}

/** Returns the texts that Python's `ljust`, `rjust` and `center` add before and after a text. */
export function padding(
  text: string,
  options: { width: number; fill: string; side: 'left' | 'right' | 'center' },
): readonly [before: string, after: string] {
  const { width, fill, side } = options;
  const missing = width - codePointLength(text);
  if (missing <= 0) return ['', ''];
  if (side === 'left') return [fill.repeat(missing), ''];
  if (side === 'right') return ['', fill.repeat(missing)];
  const left = Math.floor(missing / 2) + (missing & width & 1);
  return [fill.repeat(left), fill.repeat(missing - left)];
}

/** Characters whose titlecase differs from their uppercase. Rare ones, such as Greek letters with iota, are missing. */
const titlecase: ReadonlyMap<string, string> = new Map([
  ['ß', 'Ss'],
  ['ŉ', 'ʼN'],
  ['ǆ', 'ǅ'],
  ['Ǆ', 'ǅ'],
  ['ǅ', 'ǅ'],
  ['ǉ', 'ǈ'],
  ['Ǉ', 'ǈ'],
  ['ǈ', 'ǈ'],
  ['ǌ', 'ǋ'],
  ['Ǌ', 'ǋ'],
  ['ǋ', 'ǋ'],
  ['ǳ', 'ǲ'],
  ['Ǳ', 'ǲ'],
  ['ǲ', 'ǲ'],
  ['ﬀ', 'Ff'],
  ['ﬁ', 'Fi'],
  ['ﬂ', 'Fl'],
  ['ﬃ', 'Ffi'],
  ['ﬄ', 'Ffl'],
  ['ﬅ', 'St'],
  ['ﬆ', 'St'],
]);

function titleCharacter(character: string): string {
  return titlecase.get(character) ?? character.toUpperCase();
}

export function capitalize(text: string): string {
  if (text === '') return '';
  const head = String.fromCodePoint(text.codePointAt(0) ?? 0);
  return titleCharacter(head) + text.slice(head.length).toLowerCase();
}

const casedProperty = /\p{Cased}/u;

function isCased(character: string): boolean {
  return casedProperty.test(character);
}

/** Implements `str.title`: a letter after another letter becomes lower case, every other letter title case. */
export function title(text: string): string {
  let result = '';
  let afterCased = false;
  for (const character of text) {
    result += afterCased ? character.toLowerCase() : titleCharacter(character);
    afterCased = isCased(character);
  }
  return result;
}

export function swapCase(text: string): string {
  let result = '';
  for (const character of text) {
    const lower = character.toLowerCase();
    result += lower === character ? character.toUpperCase() : lower;
  }
  return result;
}
