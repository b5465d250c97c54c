/** Names of errors: those of Python and Jinja2, which authors can look up, and `BudgetExceeded`. */
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

/** Thrown by lexer, parser and compiler, and caught by `createTemplateCompiler`. */
export class CompileFailure extends Error {
  readonly type: 'TemplateSyntaxError' | 'TemplateAssertionError';
  /** Index of the error in the source with LF line ends. */
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

/** Thrown for an error during rendering. `Template.render` catches it and adds line and column. */
export class RenderFailure extends Error {
  readonly type: ErrorType;
  readonly suggestion: string | undefined;
  /** Name of the undefined variable that caused the error, if there is one. */
  readonly variable: string | undefined;

  constructor(type: ErrorType, message: string, hints: { suggestion?: string; variable?: string } = {}) {
    super(message);
    this.name = 'RenderFailure';
    this.type = type;
    this.suggestion = hints.suggestion;
    this.variable = hints.variable;
  }
}

/** The wall-clock limit was exceeded. The cause can be a busy machine, so a later rendering can succeed. */
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
