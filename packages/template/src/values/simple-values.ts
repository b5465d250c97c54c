import { RenderFailure } from '../failures.js';

/**
 * An undefined value. It prints nothing, has no items and is false. Most other operations on it throw an error with the
 * text in `message`.
 */
export class Undefined {
  readonly message: string;
  readonly errorType: 'UndefinedError' | 'SecurityError';
  /** Name of the undefined variable. Null for missing attributes, items and arguments. */
  readonly variable: string | null;
  readonly #suggest: (() => string | undefined) | undefined;

  constructor(message: string, options: UndefinedOptions = {}) {
    this.message = message;
    this.errorType = options.errorType ?? 'UndefinedError';
    this.variable = options.variable ?? null;
    this.#suggest = options.suggest;
  }

  /** Name of an existing attribute that is similar to the missing one. Undefined if there is none. */
  get suggestion(): string | undefined {
    return this.#suggest?.();
  }

  fail(): never {
    const { suggestion, variable } = this;
    throw new RenderFailure(this.errorType, this.message, {
      ...(suggestion !== undefined && { suggestion }),
      ...(variable !== null && { variable }),
    });
  }
}

interface UndefinedOptions {
  readonly errorType?: 'SecurityError';
  readonly variable?: string;
  /** Finds a similar name. It is called only for error messages, because the search is slow. */
  readonly suggest?: () => string | undefined;
}

/**
 * Kind of a Markup. `html`: text that is already escaped for HTML. `json`: text that is printed into JSON unchanged.
 * `captured`: a `CapturedText`, of which only the parts that come from the template are printed unchanged.
 */
export type MarkupKind = 'html' | 'json' | 'captured';

/**
 * A string that is not escaped again, like markupsafe's Markup. The filter `escape` returns the kind `html`. The
 * filters `tojson` and `safe` return `json` if the output is JSON, and `html` otherwise.
 */
export class Markup {
  readonly text: string;
  readonly kind: MarkupKind;

  constructor(text: string, kind: MarkupKind) {
    this.text = text;
    this.kind = kind;
  }
}

/**
 * Text that a macro or block has captured in a template for JSON. Outside of `{% autoescape %}` it is a plain string in
 * Python. `trust` says for each UTF-16 unit of the text whether it comes from the template or from a value. Only
 * `json/captured-text.ts` reads it and creates such texts.
 */
export class CapturedText extends Markup {
  readonly trust: string;

  constructor(text: string, trust: string) {
    super(text, 'captured');
    this.trust = trust;
  }
}

/** A `range` of Python. The function `range` allows at most 100,000 items, as Jinja2's sandbox does. */
export class Range {
  readonly start: bigint;
  readonly stop: bigint;
  readonly step: bigint;
  readonly length: number;

  constructor(start: bigint, stop: bigint, step: bigint) {
    this.start = start;
    this.stop = stop;
    this.step = step;
    this.length = Number(rangeLength(start, stop, step));
  }

  at(index: number): bigint {
    return this.start + BigInt(index) * this.step;
  }

  *[Symbol.iterator](): Generator<bigint> {
    for (let index = 0; index < this.length; index++) yield this.at(index);
  }

  slice(start: number, step: number, length: number): Range {
    const from = this.at(start);
    const by = this.step * BigInt(step);
    return new Range(from, from + BigInt(length) * by, by);
  }
}

export function rangeLength(start: bigint, stop: bigint, step: bigint): bigint {
  if (step > 0n) return stop > start ? (stop - start + step - 1n) / step : 0n;
  return start > stop ? (start - stop - step - 1n) / -step : 0n;
}
