/** Names of the errors that Python or Jinja2 would raise; shown to authors, who find them in Jinja2's documentation. */
export type ErrorType =
  | 'TemplateSyntaxError'
  | 'TemplateAssertionError'
  | 'TemplateRuntimeError'
  | 'UndefinedError'
  | 'SecurityError'
  | 'FilterArgumentError'
  | 'TypeError'
  | 'ValueError'
  | 'KeyError'
  | 'IndexError'
  | 'AttributeError'
  | 'AssertionError'
  | 'ZeroDivisionError'
  | 'OverflowError'
  | 'RuntimeError'
  | 'BudgetExceeded';

/** Thrown while lexing, parsing or checking; caught by `compileTemplate`. */
export class CompileFailure extends Error {
  readonly type: 'TemplateSyntaxError' | 'TemplateAssertionError';
  /** Index into the source with its line ends normalised. */
  readonly offset: number;
  readonly suggestion: string | undefined;

  constructor(
    message: string,
    offset: number,
    options: { type?: 'TemplateAssertionError'; suggestion?: string | undefined } = {},
  ) {
    super(message);
    this.name = 'CompileFailure';
    this.type = options.type ?? 'TemplateSyntaxError';
    this.offset = offset;
    this.suggestion = options.suggestion;
  }
}

/** Thrown while rendering, as Python would raise; caught by `Template.render`, which knows the place. */
export class RenderFailure extends Error {
  readonly type: ErrorType;
  readonly suggestion: string | undefined;
  /** The variable that is not defined, where that is the reason. */
  readonly variable: string | undefined;

  constructor(type: ErrorType, message: string, hints: { suggestion?: string; variable?: string } = {}) {
    super(message);
    this.name = 'RenderFailure';
    this.type = type;
    this.suggestion = hints.suggestion;
    this.variable = hints.variable;
  }
}

/** The wall clock ran out. It says something about the machine, not about the template, so it may be tried again. */
export class OverrunFailure extends Error {
  constructor(limitMs: number) {
    super(`rendering took longer than ${limitMs} ms`);
    this.name = 'OverrunFailure';
  }
}

export function typeError(message: string): RenderFailure {
  return new RenderFailure('TypeError', message);
}

export function valueError(message: string): RenderFailure {
  return new RenderFailure('ValueError', message);
}
