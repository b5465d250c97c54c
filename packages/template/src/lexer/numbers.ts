import { isDigitCode } from './characters.js';

const radixDigits: ReadonlyMap<string, RegExp> = new Map([
  ['b', /[01]/],
  ['o', /[0-7]/],
  ['x', /[0-9a-f]/i],
]);

/** The number that starts at `start`, which is a digit: its type and the index behind it. */
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

/** Digits with single underscores between them. */
function scanDigits(source: string, start: number): number {
  let end = start;
  while (isDigitCode(source.charCodeAt(end))) {
    end++;
    if (source.charAt(end) === '_' && isDigitCode(source.charCodeAt(end + 1))) end++;
  }
  return end;
}

/** Digits of which each may have one underscore before it. */
function scanSeparated(source: string, start: number, digit: RegExp): number {
  let end = start;
  for (;;) {
    const at = source.charAt(end) === '_' ? end + 1 : end;
    if (!digit.test(source.charAt(at))) return end;
    end = at + 1;
  }
}
