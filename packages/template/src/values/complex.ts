import { floatRepr } from './floats.js';
import { NativeObject } from './native-object.js';
import { precisePower } from './power.js';

/** A root of a negative number. Python prints it, and that is all that a template can do with it here. */
export class Complex extends NativeObject {
  readonly typeName = 'complex';
  readonly #real: number;
  readonly #imaginary: number;

  constructor(real: number, imaginary: number) {
    super();
    this.#real = real;
    this.#imaginary = imaginary;
  }

  static power(base: number, exponent: number): Complex {
    const length = precisePower(Math.abs(base), exponent);
    const phase = Math.PI * exponent;
    return new Complex(length * Math.cos(phase), length * Math.sin(phase));
  }

  repr(): string {
    const sign = this.#imaginary < 0 ? '' : '+';
    return `(${short(this.#real)}${sign}${short(this.#imaginary)}j)`;
  }
}

function short(value: number): string {
  return floatRepr(value).replace(/\.0$/, '');
}
