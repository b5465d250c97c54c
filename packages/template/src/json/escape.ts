const SPECIAL = /["\\\u0000-\u001f\u2028\u2029\ud800-\udfff]/;
const SPECIALS =
  /["\\\u0000-\u001f\u2028\u2029]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const SHORT: Readonly<Record<string, string>> = {
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
export function escapeJsonString(text: string): string {
  return SPECIAL.test(text) ? text.replace(SPECIALS, escapeUnit) : text;
}

function escapeUnit(unit: string): string {
  return SHORT[unit] ?? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
