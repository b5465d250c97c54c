import { valueError } from '../errors.js';
import { codePointLength, codePoints } from '../values/text.js';

export interface WrapOptions {
  readonly width: number;
  readonly breakLongWords: boolean;
  readonly breakOnHyphens: boolean;
}

/** Python's `textwrap.wrap` of one line, tabs and whitespace kept as they are. */
export function wrapText(text: string, options: WrapOptions): string[] {
  if (options.width <= 0) throw valueError(`invalid width ${options.width} (must be > 0)`);
  const pending = splitChunks(text, options.breakOnHyphens).reverse();
  const lines: string[] = [];
  while (pending.length > 0) {
    if (isBlank(pending.at(-1)!) && lines.length > 0) pending.pop();
    const line = takeLine(pending, options);
    if (line.length > 0 && isBlank(line.at(-1)!)) line.pop();
    if (line.length > 0) lines.push(line.join(''));
  }
  return lines;
}

function takeLine(pending: string[], options: WrapOptions): string[] {
  const line: string[] = [];
  let length = 0;
  for (let chunk = pending.at(-1); chunk !== undefined; chunk = pending.at(-1)) {
    const size = codePointLength(chunk);
    if (length + size > options.width) break;
    line.push(chunk);
    pending.pop();
    length += size;
  }
  const next = pending.at(-1);
  if (next !== undefined && codePointLength(next) > options.width)
    breakLong(pending, line, options.width - length, options);
  return line;
}

function breakLong(pending: string[], line: string[], room: number, options: WrapOptions): void {
  if (!options.breakLongWords) {
    if (line.length === 0) line.push(pending.pop()!);
    return;
  }
  const space = options.width < 1 ? 1 : room;
  const characters = codePoints(pending.pop()!);
  let end = space;
  if (options.breakOnHyphens && characters.length > space) {
    const hyphen = characters.slice(0, space).lastIndexOf('-');
    if (hyphen > 0 && characters.slice(0, hyphen).some((character) => character !== '-')) end = hyphen + 1;
  }
  line.push(characters.slice(0, end).join(''));
  pending.push(characters.slice(end).join(''));
}

const WRAP_SPACE = new Set(['\t', '\n', '\v', '\f', '\r', ' ']);

/** `chunk.strip() == ''`. */
function isBlank(chunk: string): boolean {
  return chunk.trim() === '';
}

function splitChunks(text: string, breakOnHyphens: boolean): string[] {
  const chunks: string[] = [];
  for (const run of splitRuns(text)) {
    if (WRAP_SPACE.has(run.charAt(0)) || !breakOnHyphens) chunks.push(run);
    else chunks.push(...splitHyphens(run));
  }
  return chunks;
}

/** Runs of whitespace and runs of everything else. */
function splitRuns(text: string): string[] {
  const runs: string[] = [];
  let start = 0;
  for (let index = 1; index <= text.length; index++) {
    if (index < text.length && WRAP_SPACE.has(text.charAt(index)) === WRAP_SPACE.has(text.charAt(index - 1)))
      continue;
    if (index > start) runs.push(text.slice(start, index));
    start = index;
  }
  return runs;
}

const LETTER = /[\p{L}_]/u;
const WORD_OR_PUNCTUATION = /[\p{L}\p{N}_!"'&.,?]/u;
const WORD = /[\p{L}\p{N}_]/u;

/**
 * A word breaks behind a hyphen that has two letters before it (or a letter, a hyphen and one more character) and two
 * behind it (or two with a hyphen between), and around a dash of two hyphens and more.
 */
function splitHyphens(word: string): string[] {
  const characters = codePoints(word);
  const chunks: string[] = [];
  let start = 0;
  const cut = (end: number) => {
    if (end > start) chunks.push(characters.slice(start, end).join(''));
    start = end;
  };
  for (let index = 0; index < characters.length; index++) {
    if (characters[index] !== '-') continue;
    const end = dashEnd(characters, index);
    if (isDash(characters, index, end)) {
      cut(index);
      cut(end);
      index = end - 1;
    } else if (isHyphenBreak(characters, index, start)) {
      cut(index + 1);
    }
  }
  cut(characters.length);
  return chunks;
}

function dashEnd(characters: readonly string[], index: number): number {
  let end = index;
  while (characters[end] === '-') end++;
  return end;
}

function isDash(characters: readonly string[], start: number, end: number): boolean {
  const before = characters[start - 1];
  const after = characters[end];
  return (
    end - start >= 2 &&
    before !== undefined &&
    WORD_OR_PUNCTUATION.test(before) &&
    after !== undefined &&
    WORD.test(after)
  );
}

function isHyphenBreak(characters: readonly string[], index: number, start: number): boolean {
  const is = (at: number, pattern: RegExp) =>
    at >= 0 && at < characters.length && pattern.test(characters[at]!);
  const isHyphen = (at: number) => characters[at] === '-';
  const before =
    (is(index - 2, LETTER) && is(index - 1, LETTER)) ||
    (is(index - 3, LETTER) && isHyphen(index - 2) && is(index - 1, WORD_OR_PUNCTUATION));
  const after =
    is(index + 1, LETTER) && (is(index + 2, LETTER) || (isHyphen(index + 2) && is(index + 3, LETTER)));
  return index > start && before && after;
}
