import { RenderFailure } from '../failures.js';

/** Prints empty, iterates as empty, is false; anything else that is done with it fails with its message. */
export class Undefined {
  readonly message: string;
  readonly errorType: 'UndefinedError' | 'SecurityError';
  /** The variable that nobody defined; null for missing attributes and the like. */
  readonly variable: string | null;

  constructor(message: string, options: { errorType?: 'SecurityError'; variable?: string } = {}) {
    this.message = message;
    this.errorType = options.errorType ?? 'UndefinedError';
    this.variable = options.variable ?? null;
  }

  fail(): never {
    throw new RenderFailure(
      this.errorType,
      this.message,
      this.variable === null ? {} : { variable: this.variable },
    );
  }
}
