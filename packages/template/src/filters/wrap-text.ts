import { valueError } from '../failures.js';
import { codePoints } from '../values/text.js';

export interface WrapOptions {
  readonly width: number;
  readonly breakLongWords: boolean;
  readonly breakOnHyphens: boolean;
}

/** A word or a run of whitespace. A chunk is split only if it is longer than a line. */
interface Chunk {
  readonly characters: readonly string[];
  /** Index of the last character that is not whitespace; -1 if there is none. */
  readonly lastInk: number;
  /** Number of characters of the chunk that earlier lines contain. */
  taken: number;
}

/**
 * Implements Python's `textwrap.wrap` for one line, and returns the range of each part. Tabs are not expanded, and
 * whitespace is not replaced.
 */
export function wrapText(text: string, options: WrapOptions): (readonly [start: number, end: number])[] {
  if (options.width <= 0) throw valueError(`invalid width ${options.width} (must be > 0)`);
  const pending = splitChunks(text, options.breakOnHyphens).map(createChunk).reverse();
  const lines: (readonly [start: number, end: number])[] = [];
  let next = 0;
  while (pending.length > 0) {
    if (isBlank(pending.at(-1)!) && lines.length > 0) next += takeRest(pending.pop()!).length;
    const line = takeLine(pending, options);
    const start = next;
    next += line.join('').length;
    const last = line.at(-1);
    const isBlankEnd = last !== undefined && last.trim() === '';
    if (line.length > (isBlankEnd ? 1 : 0)) lines.push([start, isBlankEnd ? next - last.length : next]);
  }
  return lines;
}

function createChunk(text: string): Chunk {
  const characters = codePoints(text);
  return { characters, lastInk: characters.findLastIndex((character) => character.trim() !== ''), taken: 0 };
}

/** Returns true if the rest of a chunk is whitespace. */
function isBlank({ lastInk, taken }: Chunk): boolean {
  return taken > lastInk;
}

function takeLine(pending: Chunk[], options: WrapOptions): string[] {
  const line: string[] = [];
  let length = 0;
  for (let chunk = pending.at(-1); chunk !== undefined; chunk = pending.at(-1)) {
    const size = sizeOf(chunk);
    if (length + size > options.width) break;
    line.push(take(chunk, size));
    pending.pop();
    length += size;
  }
  const next = pending.at(-1);
  if (next === undefined || sizeOf(next) <= options.width) return line;
  if (options.breakLongWords) line.push(breakLong(next, options.width - length, options));
  else if (line.length === 0) line.push(take(pending.pop()!, sizeOf(next)));
  return line;
}

function sizeOf({ characters, taken }: Chunk): number {
  return characters.length - taken;
}

function takeRest(chunk: Chunk): string {
  return take(chunk, sizeOf(chunk));
}

function take(chunk: Chunk, size: number): string {
  const start = chunk.taken;
  chunk.taken += size;
  return chunk.characters.slice(start, chunk.taken).join('');
}

/**
 * Removes the first `width` characters from a long chunk and returns them. If lines may break after hyphens, removes
 * only the characters up to the last hyphen in this range, unless all characters before that hyphen are hyphens.
 */
function breakLong(chunk: Chunk, width: number, { breakOnHyphens }: WrapOptions): string {
  const head = chunk.characters.slice(chunk.taken, chunk.taken + width);
  const hyphen = breakOnHyphens ? head.lastIndexOf('-') : -1;
  const isBreak = hyphen > 0 && head.slice(0, hyphen).some((character) => character !== '-');
  return take(chunk, isBreak ? hyphen + 1 : width);
}

const wrapSpace = new Set(['\t', '\n', '\v', '\f', '\r', ' ']);

function splitChunks(text: string, breakOnHyphens: boolean): string[] {
  const chunks: string[] = [];
  for (const run of splitRuns(text)) {
    if (wrapSpace.has(run.charAt(0)) || !breakOnHyphens) chunks.push(run);
    else for (const part of splitHyphens(run)) chunks.push(part);
  }
  return chunks;
}

/** Splits a text into runs of whitespace and runs of other characters. */
function splitRuns(text: string): string[] {
  const runs: string[] = [];
  let start = 0;
  for (let index = 1; index <= text.length; index++) {
    if (index < text.length && wrapSpace.has(text.charAt(index)) === wrapSpace.has(text.charAt(index - 1)))
      continue;
    if (index > start) runs.push(text.slice(start, index));
    start = index;
  }
  return runs;
}

const letter = /[\p{L}_]/u;
const wordOrPunctuation = /[\p{L}\p{N}_!"'&.,?]/u;
const wordCharacter = /[\p{L}\p{N}_]/u;

/**
 * Splits a word as Python's `textwrap` does. A word is split after a hyphen that follows two letters and precedes two
 * letters. The two letters on each side can have one hyphen between them: `a-b-c-d` is split into `a-b-` and `c-d`. A
 * dash of two or more hyphens between words is a separate part.
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
    } else if (isHyphenBreak(characters, end - 1, start)) {
      cut(end);
    }
    index = end - 1;
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
    wordOrPunctuation.test(before) &&
    after !== undefined &&
    wordCharacter.test(after)
  );
}

function isHyphenBreak(characters: readonly string[], index: number, start: number): boolean {
  const is = (at: number, pattern: RegExp) =>
    at >= 0 && at < characters.length && pattern.test(characters[at]!);
  const isHyphen = (at: number) => characters[at] === '-';
  const before =
    (is(index - 2, letter) && is(index - 1, letter)) ||
    (is(index - 3, letter) && isHyphen(index - 2) && is(index - 1, letter));
  const after =
    is(index + 1, letter) && (is(index + 2, letter) || (isHyphen(index + 2) && is(index + 3, letter)));
  return index > start && before && after;
}
