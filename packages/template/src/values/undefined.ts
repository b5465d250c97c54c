import { RenderFailure } from '../failures.js';

/** An undefined value. It prints nothing, has no items and is false; every other operation fails with its message. */
export class Undefined {
  readonly message: string;
  readonly errorType: 'UndefinedError' | 'SecurityError';
  /** The name of the undefined variable; null for missing attributes, items and arguments. */
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
