import type { Problem } from './inspect-template.js';

/** A range of a text, in UTF-16 code units. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the range of text to mark for a problem: the name or number at its position, or one character if there is
 * none. For a position at or after the end of a line, the last character of the line is marked. The range is empty only
 * in an empty line.
 */
export function problemRange(text: string, { line, column }: Pick<Problem, 'line' | 'column'>): TextRange {
  const start = lineStart(text, line);
  const newline = text.indexOf('\n', start);
  const end = newline === -1 ? text.length : newline;
  const from = Math.min(start + column - 1, end);
  if (from === end) return { from: Math.max(start, end - 1), to: end };
  const word = /^[\w.]+/.exec(text.slice(from, end))?.[0] ?? '';
  return { from, to: from + Math.max(1, word.length) };
}

function lineStart(text: string, line: number): number {
  let start = 0;
  for (let number = 1; number < line; number++) {
    const newline = text.indexOf('\n', start);
    if (newline === -1) return start;
    start = newline + 1;
  }
  return start;
}
