import { nestedTooDeeply } from './budget.js';
import { type CompileFailure, type ErrorType, OverrunFailure, RenderFailure } from './failures.js';
import { nearest } from './nearest.js';

/** Why a template cannot be compiled or rendered, and where. */
export interface TemplateError {
  readonly phase: 'compile' | 'render';
  /** `overrun` is the wall clock: it may be tried again. Everything else happens each time. */
  readonly kind: 'template_error' | 'overrun';
  /** The name of Jinja2's or Python's error. */
  readonly type: ErrorType | 'Overrun';
  readonly message: string;
  /** Counted from 1. */
  readonly line: number;
  /** Counted from 1, in UTF-16 units. */
  readonly column: number;
  /** The line itself, and below it a mark at the column. */
  readonly excerpt: string;
  /** The known name that was probably meant. */
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

/** The error of a rendering that failed at `offset`; rethrows what is no failure of the template. */
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
  // The engine's stack ended before the limit on nesting did.
  if (failure instanceof RangeError) return renderError(source, offset, nestedTooDeeply(), knownNames);
  throw failure;
}

/** Line, column and excerpt of an offset into a source. */
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

/** Long lines are cut around the mark. */
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
