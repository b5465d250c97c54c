import { Markup } from './simple-values.js';
import type { Value } from './value.js';

/** Tells whether a value is a `str` in Python. Markup is a subclass of `str`. */
export function isString(value: Value): value is string | Markup {
  return typeof value === 'string' || value instanceof Markup;
}

export function textOf(value: string | Markup): string {
  return typeof value === 'string' ? value : value.text;
}

/** Returns Markup of the same kind if `like` is Markup, else the plain text. */
export function sameKind(like: string | Markup, text: string): string | Markup {
  return typeof like === 'string' ? text : new Markup(text, like.kind);
}

const surrogate = /[\ud800-\udfff]/;

/** Tells whether UTF-16 units and code points differ in a text. Python counts in code points. */
export function hasSurrogates(text: string): boolean {
  return surrogate.test(text);
}

export function codePointLength(text: string): number {
  if (!hasSurrogates(text)) return text.length;
  let length = 0;
  for (const _ of text) length++;
  return length;
}

/** The characters of a text as Python indexes them. */
export function codePoints(text: string): string[] {
  return Array.from(text);
}

/** The first `count` code points. */
export function takeCodePoints(text: string, count: number): string {
  if (count >= text.length) return text;
  return hasSurrogates(text) ? codePoints(text).slice(0, count).join('') : text.slice(0, count);
}
