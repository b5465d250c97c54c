import { CompileFailure } from '../failures.js';
import { describeToken, describeTokenType, type Token, type TokenType } from '../lexer/token.js';

/** A cursor over the tokens of a source. */
export class TokenStream {
  readonly #tokens: readonly Token[];
  #position = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get current(): Token {
    return this.#at(this.#position);
  }

  look(): Token {
    return this.#at(this.#position + 1);
  }

  /** Returns the current token and moves to the next one. */
  next(): Token {
    const token = this.current;
    if (token.type !== 'eof') this.#position++;
    return token;
  }

  skip(count: number): void {
    this.#position = Math.min(this.#position + count, this.#tokens.length - 1);
  }

  is(type: TokenType): boolean {
    return this.current.type === type;
  }

  isName(...names: readonly string[]): boolean {
    const token = this.current;
    return token.type === 'name' && names.includes(token.value);
  }

  skipIf(type: TokenType): boolean {
    if (this.current.type !== type) return false;
    this.next();
    return true;
  }

  skipIfName(name: string): boolean {
    if (!this.isName(name)) return false;
    this.next();
    return true;
  }

  expect(type: TokenType): Token {
    if (this.current.type !== type) this.#failExpecting(describeTokenType(type));
    return this.next();
  }

  expectName(name: string): Token {
    if (!this.isName(name)) this.#failExpecting(name);
    return this.next();
  }

  fail(message: string, offset: number = this.current.offset): never {
    throw new CompileFailure(message, offset);
  }

  #failExpecting(expected: string): never {
    const token = this.current;
    if (token.type === 'eof') this.fail(`unexpected end of template, expected '${expected}'`);
    this.fail(`expected token '${expected}', got '${describeToken(token)}'`);
  }

  #at(position: number): Token {
    return this.#tokens[Math.min(position, this.#tokens.length - 1)]!;
  }
}
