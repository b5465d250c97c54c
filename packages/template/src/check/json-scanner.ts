import { locate } from '../template-error.js';

/** Position of a string in a JSON text. The range from `start` to `end` includes its quotes. */
interface JsonString {
  readonly start: number;
  readonly end: number;
}

interface DuplicateKey {
  readonly key: string;
  readonly offset: number;
}

export interface JsonFault {
  readonly offset: number;
  /** Kind of the error. `jsonProblems` contains a message for each kind. */
  readonly problem: JsonProblem;
}

export type JsonProblem =
  | 'value expected'
  | 'comma expected'
  | 'colon expected'
  | 'key expected'
  | 'comma before a closing bracket'
  | 'control character in a string'
  | 'invalid escape in a string'
  | 'unterminated string'
  | 'invalid number'
  | 'text after the value'
  | 'unexpected end'
  | 'nested too deeply';

export interface JsonScan {
  /** First error of the text; null if the text is JSON. */
  readonly fault: JsonFault | null;
  readonly strings: readonly JsonString[];
  readonly duplicateKeys: readonly DuplicateKey[];
}

const maxDepth = 500;
const escapePattern = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/**
 * Scans JSON (RFC 8259). Accepts every text that `JSON.parse` accepts, unless its values are nested more than 500
 * levels deep. Returns the first error, and all strings and duplicate keys before it.
 */
export function scanJson(text: string): JsonScan {
  const scanner = new JsonScanner(text);
  const fault = scanner.run();
  return { fault, strings: scanner.strings, duplicateKeys: scanner.duplicateKeys };
}

class Fault extends Error {
  readonly fault: JsonFault;

  constructor(offset: number, problem: JsonProblem) {
    super(problem);
    this.fault = { offset, problem };
  }
}

class JsonScanner {
  readonly strings: JsonString[] = [];
  readonly duplicateKeys: DuplicateKey[] = [];
  readonly #text: string;
  #offset = 0;

  constructor(text: string) {
    this.#text = text;
  }

  run(): JsonFault | null {
    try {
      this.#value(0);
      this.#space();
      if (this.#offset < this.#text.length) this.#fail('text after the value');
      return null;
    } catch (error) {
      if (error instanceof Fault) return error.fault;
      throw error;
    }
  }

  #fail(problem: JsonProblem, offset = this.#offset): never {
    throw new Fault(offset, offset >= this.#text.length ? 'unexpected end' : problem);
  }

  #value(depth: number): void {
    this.#space();
    if (depth > maxDepth) this.#fail('nested too deeply');
    const character = this.#text.charAt(this.#offset);
    if (character === '{') {
      this.#object(depth);
      return;
    }
    if (character === '[') {
      this.#array(depth);
      return;
    }
    if (character === '"') return void this.#string();
    if (character === '-' || (character >= '0' && character <= '9')) {
      this.#number();
      return;
    }
    for (const word of ['true', 'false', 'null']) {
      if (this.#text.startsWith(word, this.#offset)) {
        this.#offset += word.length;
        return;
      }
    }
    this.#fail('value expected');
  }

  #object(depth: number): void {
    const keys = new Set<string>();
    this.#offset++;
    this.#space();
    if (this.#skip('}')) return;
    for (;;) {
      this.#space();
      const start = this.#offset;
      if (this.#text.charAt(start) !== '"') this.#fail('key expected');
      const key = this.#string();
      if (keys.has(key)) this.duplicateKeys.push({ key, offset: start });
      keys.add(key);
      this.#space();
      if (!this.#skip(':')) this.#fail('colon expected');
      this.#value(depth + 1);
      if (this.#ends('}')) return;
    }
  }

  #array(depth: number): void {
    this.#offset++;
    this.#space();
    if (this.#skip(']')) return;
    for (;;) {
      this.#value(depth + 1);
      if (this.#ends(']')) return;
    }
  }

  /** Reads the comma or bracket after a member or item. Returns true at the closing bracket. */
  #ends(close: string): boolean {
    this.#space();
    if (this.#skip(close)) return true;
    const comma = this.#offset;
    if (!this.#skip(',')) this.#fail('comma expected');
    this.#space();
    const next = this.#text.charAt(this.#offset);
    if (next === '}' || next === ']') this.#fail('comma before a closing bracket', comma);
    return false;
  }

  #string(): string {
    const start = this.#offset;
    for (let index = start + 1; index < this.#text.length; index++) {
      const code = this.#text.charCodeAt(index);
      if (code === 0x22) return this.#endString(start, index + 1);
      if (code < 0x20) this.#fail('control character in a string', index);
      if (code === 0x5c) index = this.#escapeEnd(index) - 1;
    }
    this.#offset = start;
    throw new Fault(start, 'unterminated string');
  }

  #endString(start: number, end: number): string {
    this.strings.push({ start, end });
    this.#offset = end;
    const parsed: unknown = JSON.parse(this.#text.slice(start, end));
    return String(parsed);
  }

  #escapeEnd(index: number): number {
    escapePattern.lastIndex = index;
    if (!escapePattern.test(this.#text)) this.#fail('invalid escape in a string', index);
    return escapePattern.lastIndex;
  }

  #number(): void {
    numberPattern.lastIndex = this.#offset;
    const number = numberPattern.exec(this.#text)?.[0];
    if (number === undefined) this.#fail('invalid number');
    const next = this.#text.charAt(this.#offset + number.length);
    if (/[\w.+-]/.test(next)) this.#fail('invalid number');
    this.#offset += number.length;
  }

  #space(): void {
    while (this.#offset < this.#text.length && ' \t\n\r'.includes(this.#text.charAt(this.#offset)))
      this.#offset++;
  }

  #skip(character: string): boolean {
    if (this.#text.charAt(this.#offset) !== character) return false;
    this.#offset++;
    return true;
  }
}

/**
 * Message for the author of a body, for each kind of error. Each message describes the problem, and some also say how
 * to correct it.
 */
export const jsonProblems: Readonly<Record<JsonProblem, string>> = {
  'value expected': 'a value is expected here',
  'comma expected': 'a comma or a closing bracket is expected here',
  'colon expected': 'a colon is expected here',
  'key expected': 'a key in double quotes is expected here',
  'comma before a closing bracket': 'a comma before a closing bracket is not allowed; remove it',
  'control character in a string': 'a string contains a line break or tab; write \\n or \\t',
  'invalid escape in a string':
    'a backslash in a string must begin an escape such as \\n or \\"; write \\\\ for a backslash',
  'unterminated string': 'the string that begins here is never closed',
  'invalid number': 'this is not a JSON number',
  'text after the value': 'the JSON value ends before this text',
  'unexpected end': 'the result ends here, but a value or a closing bracket is missing',
  'nested too deeply': 'the result is nested too deeply',
};

export interface PlacedJsonFault {
  /** Description of the problem. It contains no part of the text, which can be secret. */
  readonly message: string;
  /** Line number, counted from 1. */
  readonly line: number;
  /** Column in UTF-16 units, counted from 1. */
  readonly column: number;
  /** The source line, with a `^` below the column. */
  readonly excerpt: string;
}

/** Returns the first error of a text that is not JSON, or undefined for valid JSON. */
export function findJsonFault(text: string): PlacedJsonFault | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    // The scanner rejects every text that JSON.parse rejects, so it finds an error.
    const { problem, offset } = scanJson(text).fault!;
    return { message: jsonProblems[problem], ...locate(text, offset) };
  }
}
