/** Implements Python's `str.isspace` for one UTF-16 unit. Unlike `\s`, it includes U+001C to U+001F and U+0085. */
export function isSpaceCode(code: number): boolean {
  if (code <= 0x20) return code === 0x20 || (code >= 0x09 && code <= 0x0d) || (code >= 0x1c && code <= 0x1f);
  if (code < 0x85) return false;
  return (
    code === 0x85 ||
    code === 0xa0 ||
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000
  );
}

export function isDigitCode(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isAsciiNameCode(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f || isDigitCode(code)
  );
}

const word = /[\p{L}\p{N}\p{Mn}\p{Mc}\p{Pc}·]/u;
const identifier = /^[\p{XIDS}_]\p{XIDC}*$/u;

/** Returns the length in UTF-16 units of the character at `offset`, or 0 if it cannot be part of a name. */
export function nameCharacterLength(source: string, offset: number): number {
  const code = source.charCodeAt(offset);
  if (code < 0x80) return isAsciiNameCode(code) ? 1 : 0;
  const character = String.fromCodePoint(source.codePointAt(offset) ?? 0);
  return word.test(character) ? character.length : 0;
}

/** Implements Python's `str.isidentifier`. */
export function isIdentifier(name: string): boolean {
  return identifier.test(name);
}
