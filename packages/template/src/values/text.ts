import type { Rendering } from '../rendering.js';
import { Markup } from './simple-values.js';
import type { Value } from './value.js';

/** Returns true if a value is a `str` in Python. Markup is a subclass of `str`. */
export function isString(value: Value): value is string | Markup {
  return typeof value === 'string' || value instanceof Markup;
}

export function textOf(value: string | Markup): string {
  return typeof value === 'string' ? value : value.text;
}

/**
 * Returns `text` as HTML Markup if `like` is HTML Markup, otherwise as a plain string. A text computed from captured or
 * safe text has no trust (`json/captured-text.ts`), so it is escaped when it is printed into JSON.
 */
export function sameKind(like: string | Markup, text: string): string | Markup {
  return typeof like !== 'string' && like.kind === 'html' ? new Markup(text, 'html') : text;
}

/** Returns HTML Markup as a plain string, and other strings unchanged. */
export function withoutHtml(value: string | Markup): string | Markup {
  return typeof value !== 'string' && value.kind === 'html' ? value.text : value;
}

/** Returns true for text that is Markup in Python. Captured text is that only inside `{% autoescape true %}`. */
export function isEscaped(value: Value, rendering: Rendering): value is Markup {
  return value instanceof Markup && (value.kind !== 'captured' || rendering.autoescape);
}

const surrogate = /[\ud800-\udfff]/;

/**
 * Returns true if a text contains surrogates. Only then can its number of code points, which Python counts, differ from
 * its number of UTF-16 units.
 */
export function hasSurrogates(text: string): boolean {
  return surrogate.test(text);
}

export function codePointLength(text: string): number {
  if (!hasSurrogates(text)) return text.length;
  let length = 0;
  for (const _ of text) length++;
  return length;
}

/** Returns the code points of a text, which are the characters that Python indexes. */
export function codePoints(text: string): string[] {
  return Array.from(text);
}

/** Returns the first `count` code points of a text. The work grows with `count` and not with the length of the text. */
export function takeCodePoints(text: string, count: number): string {
  if (count >= text.length) return text;
  // A code point has at most two UTF-16 units.
  const head = text.slice(0, 2 * count);
  return hasSurrogates(head) ? codePoints(head).slice(0, count).join('') : head.slice(0, count);
}
