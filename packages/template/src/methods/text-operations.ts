import { unmarkedCode } from '../json/marked-text.js';
import { isSpaceCode } from '../lexer/characters.js';
import { findBackward, partsBetween } from '../values/find-text.js';
import { codePointLength, codePoints } from '../values/text.js';

/**
 * Implements Python's `strip`, `lstrip` and `rstrip`. If `characters` is undefined, whitespace is stripped, including
 * the marks that stand for whitespace in the output of macros and blocks (`json/marked-text.ts`).
 */
export function strip(
  text: string,
  characters: string | undefined,
  sides: 'both' | 'left' | 'right',
): string {
  if (characters === undefined) return stripSpace(text, sides);
  const set = new Set(codePoints(characters));
  const points = codePoints(text);
  let start = 0;
  let end = points.length;
  if (sides !== 'right') while (start < end && set.has(points[start]!)) start++;
  if (sides !== 'left') while (end > start && set.has(points[end - 1]!)) end--;
  return points.slice(start, end).join('');
}

function stripSpace(text: string, sides: 'both' | 'left' | 'right'): string {
  let start = 0;
  let end = text.length;
  if (sides !== 'right') for (let width = 1; width > 0; start += width) width = spaceAt(text, start);
  if (sides !== 'left')
    for (let width = 1; width > 0 && end > start; end -= width) width = spaceBefore(text, end);
  return text.slice(start, end);
}

function spaceAt(text: string, index: number): number {
  if (index >= text.length) return 0;
  if (isSpaceCode(text.charCodeAt(index))) return 1;
  return isMarkedSpace(text.codePointAt(index) ?? 0) ? 2 : 0;
}

function spaceBefore(text: string, index: number): number {
  if (isSpaceCode(text.charCodeAt(index - 1))) return 1;
  return index >= 2 && isMarkedSpace(text.codePointAt(index - 2) ?? 0) ? 2 : 0;
}

function isMarkedSpace(codePoint: number): boolean {
  const code = unmarkedCode(codePoint);
  return code !== undefined && isSpaceCode(code);
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

export function splitLines(text: string, keepEnds = false): string[] {
  const lines: string[] = [];
  let start = 0;
  for (let index = 0; index < text.length; index++) {
    const end = lineEnd(text, index);
    if (end === 0) continue;
    lines.push(text.slice(start, keepEnds ? index + end : index));
    index += end - 1;
    start = index + 1;
  }
  if (start < text.length) lines.push(text.slice(start));
  return lines;
}

/**
 * Returns the length in UTF-16 units of the line end at `index`, or 0 if there is none. In captured text a line end can
 * be encoded as a mark (`json/marked-text.ts`).
 */
function lineEnd(text: string, index: number): number {
  const character = text.charAt(index);
  if (lineEnds.has(character)) return character === '\r' && text.charAt(index + 1) === '\n' ? 2 : 1;
  if (character !== '\udbff') return 0;
  const code = unmarkedCode(text.codePointAt(index) ?? 0);
  return code !== undefined && lineEnds.has(String.fromCharCode(code)) ? 2 : 0;
}

/** Implements Python's `split()` without a separator: runs of whitespace separate the parts. */
export function splitSpace(text: string, limit: number): string[] {
  const parts: string[] = [];
  let index = 0;
  for (;;) {
    while (index < text.length && isSpaceCode(text.charCodeAt(index))) index++;
    if (index >= text.length) return parts;
    if (limit >= 0 && parts.length >= limit) {
      parts.push(stripSpace(text.slice(index), 'right'));
      return parts;
    }
    const start = index;
    while (index < text.length && !isSpaceCode(text.charCodeAt(index))) index++;
    parts.push(text.slice(start, index));
  }
}

export function splitSpaceRight(text: string, limit: number): string[] {
  const parts: string[] = [];
  let index = text.length;
  for (;;) {
    while (index > 0 && isSpaceCode(text.charCodeAt(index - 1))) index--;
    if (index === 0) break;
    if (limit >= 0 && parts.length >= limit) {
      parts.push(stripSpace(text.slice(0, index), 'left'));
      break;
    }
    const end = index;
    while (index > 0 && !isSpaceCode(text.charCodeAt(index - 1))) index--;
    parts.push(text.slice(index, end));
  }
  return parts.reverse();
}

export function splitAt(text: string, separator: string, limit: number): string[] {
  const parts = partsBetween(text, separator);
  if (limit < 0 || parts.length <= limit + 1) return parts;
  return [...parts.slice(0, limit), parts.slice(limit).join(separator)];
}

export function splitAtRight(text: string, separator: string, limit: number): string[] {
  const find = findBackward(text, separator);
  const parts: string[] = [];
  let end = text.length;
  while (limit < 0 || parts.length < limit) {
    const at = find(end);
    if (at === -1) break;
    parts.push(text.slice(at + separator.length, end));
    end = at;
  }
  parts.push(text.slice(0, end));
  return parts.reverse();
}

/** Implements Python's `replace`. An empty `old` matches before, between and after all characters. */
export function replace(text: string, old: string, by: string, limit: number): string {
  if (limit === 0) return text;
  if (old !== '') {
    return limit < 0 ? partsBetween(text, old).join(by) : splitAt(text, old, limit).join(by);
  }
  const points = codePoints(text);
  const places = limit < 0 ? points.length + 1 : Math.min(limit, points.length + 1);
  let result = '';
  for (let index = 0; index <= points.length; index++) {
    if (index < places) result += by;
    result += points[index] ?? '';
  }
  return result;
}

/** Returns an upper bound of the length of the result of `replace`. */
export function replacedLength(text: string, old: string, by: string): number {
  if (by.length <= old.length) return text.length;
  const places = old === '' ? text.length + 1 : partsBetween(text, old).length - 1;
  return text.length + places * (by.length - old.length);
}

export function pad(
  text: string,
  options: { width: number; fill: string; side: 'left' | 'right' | 'center' },
): string {
  const { width, fill, side } = options;
  const missing = width - codePointLength(text);
  if (missing <= 0) return text;
  if (side === 'left') return fill.repeat(missing) + text;
  if (side === 'right') return text + fill.repeat(missing);
  const left = Math.floor(missing / 2) + (missing & width & 1);
  return fill.repeat(left) + text + fill.repeat(missing - left);
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
