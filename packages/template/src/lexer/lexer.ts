import { CompileFailure } from '../failures.js';
import { isDigitCode, isIdentifier, isSpaceCode, nameCharacterLength } from './characters.js';
import { decodeStringLiteral, scanNumber } from './literals.js';
import { type OperatorType, operators, type Token, type TokenType } from './token.js';

/** Converts line ends to LF and removes one line end at the end of the source, as Jinja2 does. */
export function normalizeSource(source: string): string {
  const text = source.includes('\r') ? source.replace(/\r\n|\r/g, '\n') : source;
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}

/** Returns the tokens of a normalised source in linear time. The last token is `eof`. */
export function tokenize(source: string): Token[] {
  const lexer = new Lexer(source);
  return lexer.run();
}

const closingOf: ReadonlyMap<string, string> = new Map([
  ['{', '}'],
  ['(', ')'],
  ['[', ']'],
]);

class Lexer {
  readonly #source: string;
  readonly #tokens: Token[] = [];
  #offset = 0;
  /** Expected closing brackets, innermost last. While the list is not empty, `}}` and `%}` do not end a tag. */
  readonly #balancing: string[] = [];

  constructor(source: string) {
    this.#source = source;
  }

  run(): Token[] {
    while (this.#offset < this.#source.length) this.#lexData();
    this.#push('eof', '', this.#source.length);
    return this.#tokens;
  }

  #lexData(): void {
    const start = this.#offset;
    const open = this.#findOpening(start);
    if (open === -1) {
      this.#push('data', this.#source.slice(start), start);
      this.#offset = this.#source.length;
      return;
    }
    const sign = this.#source.charAt(open + 2);
    const text = this.#source.slice(start, open);
    const data = sign === '-' ? trimEnd(text) : text;
    if (data !== '') this.#push('data', data, start);
    this.#lexTag(open, sign === '-' || sign === '+' ? open + 3 : open + 2);
  }

  #findOpening(from: number): number {
    for (let at = this.#source.indexOf('{', from); at !== -1; at = this.#source.indexOf('{', at + 1)) {
      const next = this.#source.charCodeAt(at + 1);
      if (next === 0x7b || next === 0x25 || next === 0x23) return at;
    }
    return -1;
  }

  #lexTag(open: number, bodyStart: number): void {
    const kind = this.#source.charAt(open + 1);
    this.#offset = bodyStart;
    if (kind === '#') {
      this.#skipComment(open);
    } else if (kind === '{') {
      this.#push('variable_begin', '{{', open);
      this.#lexCode('}}', 'variable_end');
    } else if (!this.#lexRaw(open)) {
      this.#push('block_begin', '{%', open);
      this.#lexCode('%}', 'block_end');
    }
  }

  #skipComment(open: number): void {
    if (this.#offset >= this.#source.length) return;
    const end = this.#source.indexOf('#}', this.#offset);
    if (end === -1) throw new CompileFailure('Missing end of comment tag', open);
    const strip = end > this.#offset && this.#source.charAt(end - 1) === '-';
    this.#offset = end + 2;
    if (strip) this.#skipSpace();
  }

  /** Reads a raw block as text up to its end tag. Returns false if no raw block starts at `open`. */
  #lexRaw(open: number): boolean {
    const bodyStart = this.#matchTag(this.#offset, 'raw', false);
    if (bodyStart === undefined) return false;
    this.#offset = bodyStart;
    if (bodyStart >= this.#source.length) return true;
    for (let at = this.#source.indexOf('{%', bodyStart); at !== -1; at = this.#source.indexOf('{%', at + 1)) {
      const sign = this.#source.charAt(at + 2);
      const end = this.#matchTag(sign === '-' || sign === '+' ? at + 3 : at + 2, 'endraw', true);
      if (end === undefined) continue;
      const text = this.#source.slice(bodyStart, at);
      const data = sign === '-' ? trimEnd(text) : text;
      if (data !== '') this.#push('data', data, bodyStart);
      this.#offset = end;
      return true;
    }
    throw new CompileFailure('Missing end of raw directive', open);
  }

  /**
   * Matches `name %}` or `name -%}` at `at`, and `name +%}` too if `allowPlus` is true. White space around the name is
   * optional. Returns the index after the tag, or undefined if the text is different. With `-%}`, the white space after
   * the tag is skipped too.
   */
  #matchTag(at: number, name: string, allowPlus: boolean): number | undefined {
    const start = this.#spaceEnd(at);
    if (!this.#source.startsWith(name, start)) return undefined;
    const end = this.#spaceEnd(start + name.length);
    if (this.#source.startsWith('%}', end)) return end + 2;
    if (this.#source.startsWith('-%}', end)) return this.#spaceEnd(end + 3);
    if (allowPlus && this.#source.startsWith('+%}', end)) return end + 3;
    return undefined;
  }

  #lexCode(close: '}}' | '%}', endType: 'variable_end' | 'block_end'): void {
    for (;;) {
      this.#skipSpace();
      if (this.#offset >= this.#source.length) return;
      if (this.#balancing.length === 0 && this.#lexClose(close, endType)) return;
      this.#lexToken();
    }
  }

  #lexClose(close: '}}' | '%}', endType: 'variable_end' | 'block_end'): boolean {
    const start = this.#offset;
    const sign = this.#source.charAt(start);
    if (sign === '-' && this.#source.startsWith(close, start + 1)) {
      this.#push(endType, close, start);
      this.#offset = start + 3;
      this.#skipSpace();
      return true;
    }
    if (sign === '+' && close === '%}' && this.#source.startsWith(close, start + 1)) {
      this.#push(endType, close, start);
      this.#offset = start + 3;
      return true;
    }
    if (!this.#source.startsWith(close, start)) return false;
    this.#push(endType, close, start);
    this.#offset = start + 2;
    return true;
  }

  #lexToken(): void {
    const code = this.#source.charCodeAt(this.#offset);
    if (isDigitCode(code)) {
      this.#lexNumber();
      return;
    }
    if (code === 0x22 || code === 0x27) {
      this.#lexString(code);
      return;
    }
    if (nameCharacterLength(this.#source, this.#offset) > 0) {
      this.#lexName();
      return;
    }
    this.#lexOperator();
  }

  #lexNumber(): void {
    const start = this.#offset;
    const number = scanNumber(this.#source, start);
    this.#push(number.type, this.#source.slice(start, number.end).replaceAll('_', ''), start);
    this.#offset = number.end;
  }

  #lexName(): void {
    const start = this.#offset;
    let end = start;
    for (let length = 1; length > 0; end += length) length = nameCharacterLength(this.#source, end);
    const name = this.#source.slice(start, end);
    if (!/^[A-Za-z_]/.test(name) && !isIdentifier(name)) {
      throw new CompileFailure('Invalid character in identifier', start);
    }
    this.#push('name', name, start);
    this.#offset = end;
  }

  #lexString(quote: number): void {
    const start = this.#offset;
    let end = start + 1;
    while (end < this.#source.length && this.#source.charCodeAt(end) !== quote) {
      end += this.#source.charCodeAt(end) === 0x5c ? 2 : 1;
    }
    if (end >= this.#source.length) {
      throw new CompileFailure(
        `unexpected char ${quote === 0x27 ? `"'"` : `'"'`} at ${start}: the string is never closed`,
        start,
      );
    }
    this.#push('string', decodeStringLiteral(this.#source.slice(start + 1, end), start), start);
    this.#offset = end + 1;
  }

  #lexOperator(): void {
    const start = this.#offset;
    const two = this.#source.slice(start, start + 2);
    const text = isOperator(two) ? two : this.#source.charAt(start);
    if (!isOperator(text)) {
      const character = String.fromCodePoint(this.#source.codePointAt(start) ?? 0);
      throw new CompileFailure(`unexpected char '${character}' at ${start}`, start);
    }
    this.#balance(text, start);
    this.#push(operators[text], text, start);
    this.#offset = start + text.length;
  }

  #balance(text: string, start: number): void {
    const closing = closingOf.get(text);
    if (closing !== undefined) {
      this.#balancing.push(closing);
    } else if (text === '}' || text === ')' || text === ']') {
      const expected = this.#balancing.pop();
      if (expected === undefined) throw new CompileFailure(`unexpected '${text}'`, start);
      if (expected !== text) {
        throw new CompileFailure(`unexpected '${text}', expected '${expected}'`, start);
      }
    }
  }

  #push(type: TokenType, value: string, offset: number): void {
    this.#tokens.push({ type, value, offset });
  }

  #skipSpace(): void {
    this.#offset = this.#spaceEnd(this.#offset);
  }

  #spaceEnd(from: number): number {
    let end = from;
    while (end < this.#source.length && isSpaceCode(this.#source.charCodeAt(end))) end++;
    return end;
  }
}

function isOperator(text: string): text is keyof Record<keyof typeof operators, OperatorType> {
  return Object.hasOwn(operators, text);
}

function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && isSpaceCode(text.charCodeAt(end - 1))) end--;
  return text.slice(0, end);
}
