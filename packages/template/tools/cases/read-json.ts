import { Dict, type Value } from '@tocsin/template';

const numberPattern = /-?\d+(\.\d+)?([eE][+-]?\d+)?/y;
const words: readonly (readonly [string, Value])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

/**
 * Reads valid JSON as Python does. `JSON.parse` is not used, because it moves keys that look like integers to the front
 * and rounds large integers.
 */
export function readJson(text: string): Value {
  return new JsonReader(text).value();
}

class JsonReader {
  readonly #text: string;
  #offset = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): Value {
    this.#space();
    switch (this.#text.charAt(this.#offset)) {
      case '{':
        return this.#dict();
      case '[':
        return this.#list();
      case '"':
        return this.#string();
      default:
        return this.#scalar();
    }
  }

  #dict(): Dict {
    const dict = new Dict();
    this.#members('}', () => {
      this.#space();
      const key = this.#string();
      this.#space();
      this.#offset++;
      dict.setString(key, this.value());
    });
    return dict;
  }

  #list(): Value[] {
    const list: Value[] = [];
    this.#members(']', () => list.push(this.value()));
    return list;
  }

  #members(close: string, readMember: () => void): void {
    this.#offset++;
    this.#space();
    while (this.#text.charAt(this.#offset) !== close) {
      readMember();
      this.#space();
      if (this.#text.charAt(this.#offset) === ',') this.#offset++;
      this.#space();
    }
    this.#offset++;
  }

  #string(): string {
    let end = this.#offset + 1;
    while (this.#text.charAt(end) !== '"') end += this.#text.charAt(end) === '\\' ? 2 : 1;
    const parsed = JSON.parse(this.#text.slice(this.#offset, end + 1)) as string;
    this.#offset = end + 1;
    return parsed;
  }

  #scalar(): Value {
    for (const [word, value] of words) {
      if (!this.#text.startsWith(word, this.#offset)) continue;
      this.#offset += word.length;
      return value;
    }
    numberPattern.lastIndex = this.#offset;
    const match = numberPattern.exec(this.#text);
    if (match === null) throw new SyntaxError(`no JSON value at ${this.#offset}`);
    const [digits, fraction, exponent] = match;
    this.#offset += digits.length;
    return fraction === undefined && exponent === undefined ? BigInt(digits) : Number(digits);
  }

  #space(): void {
    while (' \t\n\r'.includes(this.#text.charAt(this.#offset)) && this.#offset < this.#text.length)
      this.#offset++;
  }
}
