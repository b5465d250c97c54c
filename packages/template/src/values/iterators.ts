import { NativeObject } from './native-object.js';
import type { Value } from './value.js';

/** A generator or iterator: can be gone through once. */
export class PythonIterator extends NativeObject {
  readonly typeName: string;
  readonly #source: Iterator<Value>;

  constructor(source: Iterator<Value>, typeName = 'generator') {
    super();
    this.#source = source;
    this.typeName = typeName;
  }

  repr(): string {
    return `<${this.typeName} object>`;
  }

  override readonly iterate = (): Iterator<Value> => this.#source;
}
