import { CompileFailure } from '../failures.js';
import { isDigitCode } from './characters.js';

const radixDigits: ReadonlyMap<string, RegExp> = new Map([
  ['b', /[01]/],
  ['o', /[0-7]/],
  ['x', /[0-9a-f]/i],
]);

/** Reads the number whose first digit is at `start`. Returns its type and the index after it. */
export function scanNumber(source: string, start: number): { type: 'integer' | 'float'; end: number } {
  const float = source.charAt(start - 1) === '.' ? undefined : scanFloat(source, start);
  if (float !== undefined) return { type: 'float', end: float };
  return { type: 'integer', end: scanInteger(source, start) };
}

function scanFloat(source: string, start: number): number | undefined {
  let end = scanDigits(source, start);
  let isFloat = false;
  if (source.charAt(end) === '.' && isDigitCode(source.charCodeAt(end + 1))) {
    end = scanDigits(source, end + 1);
    isFloat = true;
  }
  if (source.charAt(end) === 'e' || source.charAt(end) === 'E') {
    const sign = source.charAt(end + 1);
    const exponent = sign === '+' || sign === '-' ? end + 2 : end + 1;
    if (isDigitCode(source.charCodeAt(exponent))) {
      end = scanDigits(source, exponent);
      isFloat = true;
    }
  }
  return isFloat ? end : undefined;
}

function scanInteger(source: string, start: number): number {
  if (source.charAt(start) !== '0') return scanDigits(source, start);
  const digit = radixDigits.get(source.charAt(start + 1).toLowerCase());
  if (digit !== undefined) {
    const end = scanSeparated(source, start + 2, digit);
    if (end > start + 2) return end;
  }
  return scanSeparated(source, start + 1, /0/);
}

/** Skips digits with single underscores between them. */
function scanDigits(source: string, start: number): number {
  let end = start;
  while (isDigitCode(source.charCodeAt(end))) {
    end++;
    if (source.charAt(end) === '_' && isDigitCode(source.charCodeAt(end + 1))) end++;
  }
  return end;
}

/** Skips digits, each with an optional underscore before it. */
function scanSeparated(source: string, start: number, digit: RegExp): number {
  let end = start;
  for (;;) {
    const at = source.charAt(end) === '_' ? end + 1 : end;
    if (!digit.test(source.charAt(at))) return end;
    end = at + 1;
  }
}

const simpleEscapes: ReadonlyMap<string, string> = new Map([
  ['\n', ''],
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
]);

const hexDigits: ReadonlyMap<string, number> = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
]);

/**
 * Decodes a string literal without its quotes, with the escapes of Python's `unicode-escape` codec. Names of characters
 * (`\N{…}`) are an error.
 */
export function decodeStringLiteral(raw: string, offset: number): string {
  if (!raw.includes('\\')) return raw;
  let value = '';
  let from = 0;
  for (let at = raw.indexOf('\\'); at !== -1; at = raw.indexOf('\\', from)) {
    value += raw.slice(from, at);
    const decoded = decodeEscape(raw, at, offset);
    value += decoded.text;
    from = at + decoded.length;
  }
  return value + raw.slice(from);
}

function decodeEscape(raw: string, at: number, offset: number): { text: string; length: number } {
  const next = raw.charAt(at + 1);
  const simple = simpleEscapes.get(next);
  if (simple !== undefined) return { text: simple, length: 2 };
  if (next >= '0' && next <= '7') return decodeOctal(raw, at);
  const digits = hexDigits.get(next);
  if (digits !== undefined) return decodeHex({ raw, at, digits, offset });
  if (next === 'N') throw new CompileFailure('unknown Unicode character name', offset);
  if (next > '\x7f') return decodeNonAscii(raw, at);
  return { text: `\\${next}`, length: 2 };
}

function decodeOctal(raw: string, at: number): { text: string; length: number } {
  let end = at + 1;
  while (end < at + 4 && raw.charAt(end) >= '0' && raw.charAt(end) <= '7') end++;
  return { text: String.fromCodePoint(Number.parseInt(raw.slice(at + 1, end), 8)), length: end - at };
}

function decodeHex(literal: { raw: string; at: number; digits: number; offset: number }): {
  text: string;
  length: number;
} {
  const { raw, at, digits, offset } = literal;
  const hex = raw.slice(at + 2, at + 2 + digits);
  if (hex.length < digits || !/^[0-9a-fA-F]+$/.test(hex)) {
    throw new CompileFailure(`truncated \\${raw.charAt(at + 1)}${'X'.repeat(digits)} escape`, offset);
  }
  const code = Number.parseInt(hex, 16);
  if (code > 0x10ffff) throw new CompileFailure('illegal Unicode character', offset);
  return { text: String.fromCodePoint(code), length: digits + 2 };
}

/**
 * Decodes a backslash before a character that is not ASCII. Jinja2 first replaces the character by its escape sequence,
 * for example `é` by `\xe9`. The backslash that is already there then escapes the backslash of this sequence. The
 * result is therefore the text `\xe9` and not `é`.
 */
function decodeNonAscii(raw: string, at: number): { text: string; length: number } {
  const code = raw.codePointAt(at + 1) ?? 0;
  const digits = code > 0xffff ? 8 : code > 0xff ? 4 : 2;
  const letter = code > 0xffff ? 'U' : code > 0xff ? 'u' : 'x';
  return {
    text: `\\${letter}${code.toString(16).padStart(digits, '0')}`,
    length: 1 + String.fromCodePoint(code).length,
  };
}
