import { inspect } from 'node:util';

/**
 * A secret setting. Its conversion to text or JSON gives `[redacted]`, so that it cannot appear in logs. Only
 * `reveal()` returns the value.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '[redacted]';
  }

  toJSON(): string {
    return '[redacted]';
  }

  [inspect.custom](): string {
    return '[redacted]';
  }
}
