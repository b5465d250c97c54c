import { Markup } from './markup.js';
import type { Value } from './value.js';

/** Whether Python sees a `str`; Markup is a subclass of it. */
export function isString(value: Value): value is string | Markup {
  return typeof value === 'string' || value instanceof Markup;
}

export function textOf(value: string | Markup): string {
  return typeof value === 'string' ? value : value.text;
}

/** A string of the kind of `like`, as Markup's methods return Markup. */
export function sameKind(like: string | Markup, text: string): string | Markup {
  return typeof like === 'string' ? text : new Markup(text, like.kind);
}

const surrogate = /[\ud800-\udfff]/;

/** Python counts strings in code points; this is cheap for text without any above U+FFFF. */
export function hasSurrogates(text: string): boolean {
  return surrogate.test(text);
}

export function codePointLength(text: string): number {
  if (!hasSurrogates(text)) return text.length;
  let length = 0;
  for (const _ of text) length++;
  return length;
}

/** The characters as Python indexes them. */
export function codePoints(text: string): string[] {
  return Array.from(text);
}

/** The first `count` code points. */
export function takeCodePoints(text: string, count: number): string {
  if (count >= text.length) return text;
  return hasSurrogates(text) ? codePoints(text).slice(0, count).join('') : text.slice(0, count);
}
