import type { Budget } from '../budget.js';

const special = /["\\\p{Cc}\p{Cs}\u2028\u2029]/u;
const specials = /["\\\p{Cc}\p{Cs}\u2028\u2029]/gu;
const short: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\b': '\\b',
  '\f': '\\f',
};

/**
 * Escapes text for the inside of a JSON string. JSON requires escapes for quotes, backslashes and the control
 * characters below U+0020; the other control characters are escaped too. U+2028 and U+2029 are escaped for destinations
 * that read JSON as JavaScript. Lone surrogates are escaped because UTF-8 cannot encode them.
 */
export function escapeJsonString(text: string, budget: Budget): string {
  if (!special.test(text)) return text;
  return text.replace(specials, (unit) => {
    budget.step();
    return escapeUnit(unit);
  });
}

/**
 * Returns true if text that has been printed ends with a backslash that starts an escape. `isInEscape` is the result
 * for the text before it.
 */
export function endsInEscape(text: string, isInEscape: boolean): boolean {
  let start = text.length;
  while (text[start - 1] === '\\') start -= 1;
  const backslashes = text.length - start + (start === 0 && isInEscape ? 1 : 0);
  return backslashes % 2 === 1;
}

/**
 * Returns an escaped value as it must be printed after other text. If that text ends with a backslash of the template
 * that starts an escape (`isInEscape`), and the value begins with an escape, a backslash is inserted: otherwise `\` and
 * `\"` would become an escaped backslash and a quote that ends the JSON string.
 */
export function escapedAfter(isInEscape: boolean, escaped: string): string {
  return isInEscape && escaped.startsWith('\\') ? `\\${escaped}` : escaped;
}

/** Returns the JSON escape of one UTF-16 unit. */
export function escapeUnit(unit: string): string {
  return short[unit] ?? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
