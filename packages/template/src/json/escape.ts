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
 * Text for the inside of a JSON string: quotes, backslashes and control characters as JSON demands, U+2028 and
 * U+2029 for destinations that read it as JavaScript, lone surrogates because they have no UTF-8.
 */
export function escapeJsonString(text: string, budget: Budget): string {
  if (!special.test(text)) return text;
  return text.replace(specials, (unit) => {
    budget.step();
    return escapeUnit(unit);
  });
}

function escapeUnit(unit: string): string {
  return short[unit] ?? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
