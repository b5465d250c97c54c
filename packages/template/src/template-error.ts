import { nestedTooDeeply } from './budget.js';
import { type CompileFailure, type ErrorType, OverrunFailure, RenderFailure } from './failures.js';
import { nearest } from './nearest.js';

/** Reason and position of an error that occurred while compiling or rendering a template. */
export interface TemplateError {
  readonly phase: 'compile' | 'render';
  /**
   * `overrun`: the wall-clock limit was exceeded, and a retry may succeed. `template_error`: a retry with the same
   * values will fail again.
   */
  readonly kind: 'template_error' | 'overrun';
  /** Name of the error in Jinja2 or Python, or `BudgetExceeded` or `Overrun`. */
  readonly type: ErrorType | 'Overrun';
  readonly message: string;
  /** Line number, counted from 1. */
  readonly line: number;
  /** Column in UTF-16 units, counted from 1. */
  readonly column: number;
  /** The source line, with a `^` below the column. */
  readonly excerpt: string;
  /** Known name that is similar to the unknown name in the message. It is missing if no known name is similar. */
  readonly suggestion?: string;
}

export function compileError(source: string, failure: CompileFailure): TemplateError {
  return describe(source, failure.offset, {
    phase: 'compile',
    kind: 'template_error',
    type: failure.type,
    message: failure.message,
    suggestion: failure.suggestion,
  });
}

/**
 * Converts an exception that a rendering has thrown at `offset` to a TemplateError. An exception that is a bug of the
 * evaluator is thrown again unchanged.
 */
export function renderError(
  source: string,
  offset: number,
  failure: unknown,
  knownNames: Iterable<string>,
): TemplateError {
  if (failure instanceof OverrunFailure) {
    return describe(source, offset, {
      phase: 'render',
      kind: 'overrun',
      type: 'Overrun',
      message: failure.message,
    });
  }
  if (failure instanceof RenderFailure) {
    const { type, message, variable } = failure;
    const suggestion =
      failure.suggestion ?? (variable === undefined ? undefined : nearest(variable, knownNames));
    return describe(source, offset, { phase: 'render', kind: 'template_error', type, message, suggestion });
  }
  // A RangeError means that the JavaScript stack overflowed before the nesting limit was reached.
  if (failure instanceof RangeError) return renderError(source, offset, nestedTooDeeply(), knownNames);
  throw failure;
}

/** Returns line, column and excerpt of an offset in a source. */
export function locate(source: string, offset: number): Pick<TemplateError, 'line' | 'column' | 'excerpt'> {
  const at = Math.min(offset, source.length);
  const start = source.lastIndexOf('\n', at - 1) + 1;
  const end = source.indexOf('\n', at);
  const line = source.slice(start, end === -1 ? source.length : end);
  let lineNumber = 1;
  for (let index = source.indexOf('\n'); index !== -1 && index < at; index = source.indexOf('\n', index + 1))
    lineNumber++;
  return { line: lineNumber, column: at - start + 1, excerpt: excerptOf(line, at - start) };
}

/** Returns the offset of a line and column. It is the inverse of `locate`. */
export function offsetOf(source: string, { line, column }: Pick<TemplateError, 'line' | 'column'>): number {
  let start = 0;
  for (let number = 1; number < line; number++) start = source.indexOf('\n', start) + 1;
  return start + column - 1;
}

/** Numbers of characters that the excerpt of a long line shows before and after the position of the error. */
const excerptBefore = 60;
const excerptAfter = 40;

function excerptOf(line: string, column: number): string {
  const from = Math.max(0, column - excerptBefore);
  const to = Math.min(line.length, column + excerptAfter);
  const lead = from > 0 ? '…' : '';
  const text = lead + line.slice(from, to) + (to < line.length ? '…' : '');
  const margin = (lead + line.slice(from, column)).replace(/[^\t]/g, ' ');
  return `${text}\n${margin}^`;
}

function describe(
  source: string,
  offset: number,
  error: Omit<TemplateError, 'line' | 'column' | 'excerpt' | 'suggestion'> & {
    suggestion?: string | undefined;
  },
): TemplateError {
  const { suggestion, ...rest } = error;
  const message = suggestion === undefined ? rest.message : withSuggestion(rest.message, suggestion);
  return { ...rest, message, ...locate(source, offset), ...(suggestion === undefined ? {} : { suggestion }) };
}

function withSuggestion(message: string, suggestion: string): string {
  return `${message}${message.endsWith('.') ? '' : '.'} Did you mean '${suggestion}'?`;
}
