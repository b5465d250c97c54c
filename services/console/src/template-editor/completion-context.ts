/** The kind of name that can be completed, and the offset of its first character. */
export type CompletionPlace =
  | { readonly kind: 'text'; readonly from: number }
  | { readonly kind: 'variable' | 'filter' | 'test' | 'tag'; readonly from: number }
  | { readonly kind: 'member'; readonly from: number; readonly object: string };

/**
 * Returns the kind of name that can be completed at an offset. Outside of `{{ }}` and `{% %}`, the kind is `text`.
 * Returns null where no name can be completed, for example inside comments, strings and numbers.
 */
export function completionPlace(source: string, offset: number): CompletionPlace | null {
  const before = source.slice(0, offset);
  const tag = openTag(before);
  if (tag === null) return { kind: 'text', from: offset - (/\w*$/.exec(before)?.[0].length ?? 0) };
  if (tag.opening === '{#') return null;
  const code = before.slice(tag.start + 2);
  if (isInString(code)) return null;
  const word = /\w*$/.exec(code)?.[0] ?? '';
  const from = offset - word.length;
  const lead = code.slice(0, code.length - word.length);
  if (/^\d/.test(word)) return null;
  const object = /([A-Za-z_]\w*)\s*\.$/.exec(lead)?.[1];
  if (object !== undefined) return { kind: 'member', from, object };
  if (/[.\w]$/.test(lead)) return null;
  if (/\|\s*$/.test(lead) || (tag.opening === '{%' && /^[-+]?\s*filter\s+$/.test(lead))) {
    return { kind: 'filter', from };
  }
  if (/\bis\s+(not\s+)?$/.test(lead)) return { kind: 'test', from };
  if (tag.opening === '{%' && /^[-+]?\s*$/.test(lead)) return { kind: 'tag', from };
  return { kind: 'variable', from };
}

/** Returns the last `{{`, `{%` or `{#` in the text and its offset, or null if it is closed again in the text. */
function openTag(text: string): { opening: '{{' | '{%' | '{#'; start: number } | null {
  const start = Math.max(text.lastIndexOf('{{'), text.lastIndexOf('{%'), text.lastIndexOf('{#'));
  if (start === -1) return null;
  const opening = text.slice(start, start + 2) as '{{' | '{%' | '{#';
  const closing = { '{{': '}}', '{%': '%}', '{#': '#}' }[opening];
  return text.includes(closing, start + 2) ? null : { opening, start };
}

function isInString(code: string): boolean {
  let quote = '';
  for (let index = 0; index < code.length; index++) {
    const character = code.charAt(index);
    if (quote === '') quote = character === '"' || character === "'" ? character : '';
    else if (character === '\\') index++;
    else if (character === quote) quote = '';
  }
  return quote !== '';
}

/** Returns the names that a template defines with `set`, `for`, `with` and `macro`. */
export function ownNames(source: string): string[] {
  const lists = [...source.matchAll(assigned), ...source.matchAll(looped), ...source.matchAll(macros)];
  const names = lists.flatMap(([, list = '']) => list.split(',')).map((name) => name.trim());
  return [...new Set(names.filter((name) => /^[A-Za-z_]\w*$/.test(name)))];
}

/**
 * Regular expressions that find where a template defines names. Their repetitions have upper bounds, so that matching
 * takes linear time.
 */
const assigned = /\{%[-+]?\s{0,9}(?:set|with)\s{1,9}([\w ,]{1,100}?)\s{0,9}(?:=|%\})/g;
const looped = /\bfor\s{1,9}([\w ,]{1,100}?)\s{1,9}in\b/g;
const macros = /\{%[-+]?\s{0,9}macro\s{1,9}(\w{1,100})/g;
