import type { TracePiece } from '../evaluator/runtime.js';
import { isTrusted } from '../json/captured-text.js';
import { Markup, Undefined } from '../values/simple-values.js';
import { isString } from '../values/text.js';
import type { Value } from '../values/value.js';
import { type JsonFault, jsonProblems } from './json-scanner.js';

/** The cause of a failed check: its index in the template, and a message for the author. */
export interface Explanation {
  readonly offset: number;
  readonly message: string;
  /** Range of the source around the error. An unknown name in a condition or loop in this range can be its cause. */
  readonly from: number;
  readonly to: number;
  /**
   * True if the JSON error is in the text of a printed value. If false, the cause may be elsewhere, for example a value
   * that prints nothing, or the template's own text.
   */
  readonly isPrinted: boolean;
}

/** Explains why an output is not JSON, and finds the part of the template that printed the wrong text. */
export function explainFault(
  source: string,
  pieces: readonly TracePiece[],
  output: string,
  fault: JsonFault,
): Explanation {
  if (output.trim() === '') {
    const message = 'the result is empty, which is not JSON';
    return { offset: 0, message, from: 0, to: source.length, isPrinted: false };
  }
  const unescaped = pieces.findLast(
    (candidate) =>
      (candidate.start <= fault.offset || fault.problem === 'unterminated string') &&
      printsWithFilter(source, candidate, 'safe'),
  );
  const piece = unescaped ?? pieceAt(pieces, fault.offset);
  // This condition is never true, because an output that is not empty has at least one piece.
  if (piece === undefined) throw new Error('the output has no pieces');
  const from = textBefore(pieces, piece)?.offset ?? 0;
  if (piece.value === undefined) {
    const explained = explainText(source, pieces, piece, fault);
    return { ...explained, from, to: Math.max(explained.offset, piece.offset) };
  }
  const expression = expressionAt(source, piece.offset);
  return {
    offset: expressionStart(source, piece.offset),
    message: notJson(explainPrinted(expression, piece, output)),
    from,
    to: tagEnd(source, piece.offset),
    isPrinted: piece.start < piece.end && !(piece.value instanceof Markup && piece.value.kind === 'captured'),
  };
}

/** Returns the last piece with text that comes before `piece` in the output. */
function textBefore(pieces: readonly TracePiece[], piece: TracePiece): TracePiece | undefined {
  return pieces.slice(0, pieces.indexOf(piece)).findLast(({ start, end }) => start < end);
}

function tagEnd(source: string, offset: number): number {
  const close = source.indexOf('}}', offset);
  return close === -1 ? source.length : close;
}

/** Returns true if the value was printed unescaped and the source of its expression contains the text `filter`. */
function printsWithFilter(source: string, { value, offset }: TracePiece, filter: string): boolean {
  return isTrusted(value ?? null) && expressionAt(source, offset).includes(filter);
}

function notJson(reason: string): string {
  return `the result is not JSON: ${reason}`;
}

function pieceAt(pieces: readonly TracePiece[], offset: number): TracePiece | undefined {
  return pieces.find((piece) => piece.start <= offset && offset < piece.end) ?? pieces.at(-1);
}

/**
 * Explains a JSON error in text of the template itself. The cause can be the value that was printed before this text,
 * if that value printed nothing, or if it is a string without quotes around it.
 */
function explainText(
  source: string,
  pieces: readonly TracePiece[],
  piece: TracePiece,
  fault: JsonFault,
): Pick<Explanation, 'offset' | 'message' | 'isPrinted'> {
  const before = pieces[pieces.indexOf(piece) - 1];
  const isAtStart = fault.offset - piece.start <= leadingSpace(source, piece);
  if (
    fault.problem === 'value expected' &&
    isAtStart &&
    before?.value !== undefined &&
    before.start === before.end
  ) {
    const expression = expressionAt(source, before.offset);
    const reason = `{{ ${expression} }} prints nothing here${whyUndefined(before.value)}; write {{ ${expression} | default(0) }}, or check the name`;
    return { offset: expressionStart(source, before.offset), message: notJson(reason), isPrinted: false };
  }
  if (fault.problem === 'comma expected' && isAtStart && before?.value !== undefined) {
    const expression = expressionAt(source, before.offset);
    if (isString(before.value)) {
      const reason = `{{ ${expression} }} prints text outside of quotes; write ${quoted(expression)}`;
      const isPrinted = before.start < before.end;
      return { offset: expressionStart(source, before.offset), message: notJson(reason), isPrinted };
    }
  }
  return {
    offset: piece.offset + (fault.offset - piece.start),
    message: notJson(jsonProblems[fault.problem]),
    isPrinted: false,
  };
}

/** Returns Jinja2's message about an undefined value, in parentheses. For other values, returns an empty string. */
function whyUndefined(value: Value): string {
  if (!(value instanceof Undefined)) return '';
  const hint = value.suggestion === undefined ? '' : `. Did you mean '${value.suggestion}'?`;
  return ` (${value.message.replace(/\.$/, '')}${hint})`;
}

function leadingSpace(source: string, piece: TracePiece): number {
  const text = source.slice(piece.offset);
  return text.length - text.trimStart().length;
}

function explainPrinted(expression: string, piece: TracePiece, output: string): string {
  const { value } = piece;
  if (value instanceof Markup && value.kind === 'json') {
    return `{{ ${expression} }} prints unescaped text; remove "| safe", so that it is escaped`;
  }
  if (value instanceof Undefined) return `{{ ${expression} }} prints nothing here${whyUndefined(value)}`;
  if (typeof value === 'boolean' || value === null) {
    const printed = output.slice(piece.start, piece.end);
    return `{{ ${expression} }} prints ${printed}, as Python writes it; write {{ ${parenthesized(expression)} | tojson }}`;
  }
  if (typeof value === 'number') {
    return `{{ ${expression} }} prints ${output.slice(piece.start, piece.end)}, which is not a JSON number`;
  }
  if (value !== undefined && isString(value)) {
    return `{{ ${expression} }} prints text outside of quotes; write ${quoted(expression)}`;
  }
  return `{{ ${expression} }} prints a Python value; write {{ ${parenthesized(expression)} | tojson }}`;
}

function quoted(expression: string): string {
  return `"{{ ${expression} }}" or {{ ${parenthesized(expression)} | tojson }}`;
}

function parenthesized(expression: string): string {
  return /^[\w.[\]'"]+$/.test(expression) ? expression : `(${expression})`;
}

/** Length in UTF-16 units above which an expression is shortened in messages. */
const maxExpression = 80;

/** Returns the source of the expression in the `{{ }}` around an offset, or `…` outside of `{{ }}`. */
export function expressionAt(source: string, offset: number): string {
  const start = expressionStart(source, offset);
  const close = source.indexOf('}}', offset);
  if (!isInExpression(source, offset) || close === -1 || source.slice(start, offset).includes('}}'))
    return '…';
  const expression = source.slice(start, close).replace(/-$/, '').trim();
  return expression.length > maxExpression ? `${expression.slice(0, maxExpression)}…` : expression;
}

/**
 * Returns the start of the expression in the `{{ }}` around an offset, or the offset itself in a tag such as
 * `{% filter upper %}`. The start must be searched, because the offset of an expression with a filter is the place of
 * the filter name.
 */
export function expressionStart(source: string, offset: number): number {
  if (!isInExpression(source, offset)) return offset;
  const open = source.lastIndexOf('{{', offset);
  const lead = /^[-+]?\s*/.exec(source.slice(open + 2))?.[0].length ?? 0;
  return open + 2 + lead;
}

/**
 * Returns true if a printed value is in `{{ }}`, and false if a tag such as `{% filter upper %}` prints it. `offset` is
 * the offset of the printed value.
 */
function isInExpression(source: string, offset: number): boolean {
  const open = source.lastIndexOf('{{', offset);
  return open !== -1 && !/\{%|%\}/.test(source.slice(open, offset));
}
