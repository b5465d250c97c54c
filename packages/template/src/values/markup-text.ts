import { joinCaptured } from '../json/captured-text.js';
import type { Rendering } from '../rendering.js';
import { str } from './repr.js';
import { Markup, Undefined } from './simple-values.js';
import { isEscaped, isString, textOf } from './text.js';
import type { Value } from './value.js';

const htmlSpecial = /[&<>'"]/;
const htmlSpecials = /[&<>'"]/g;
const htmlEntities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  "'": '&#39;',
  '"': '&#34;',
};

export function escapeHtml(text: string, rendering: Rendering): string {
  rendering.budget.string(text.length);
  if (!htmlSpecial.test(text)) return text;
  const escaped = text.replace(htmlSpecials, (character) => htmlEntities[character]!);
  rendering.budget.string(escaped.length);
  return escaped;
}

/** Escapes a value for HTML, like `escape` of markupsafe. Markup stays unchanged. */
export function escapeToMarkup(value: Value, rendering: Rendering): Markup {
  if (isEscaped(value, rendering)) return value;
  return new Markup(escapeHtml(str(value, rendering), rendering), 'html');
}

/** Converts a value to a string, like `soft_str` of markupsafe. Markup stays Markup. */
export function softStr(value: Value, rendering: Rendering): string | Markup {
  return isString(value) ? value : str(value, rendering);
}

/** Concatenates two strings, at least one of which is Markup. Strings are escaped as in `joinMarkup`. */
export function concatenateMarkup(left: Value, right: Value, rendering: Rendering): Markup | string {
  return joinMarkup([left, right], rendering);
}

/**
 * Joins parts as HTML, and escapes the parts that are not Markup. If the template is for JSON and no part is HTML
 * Markup, the parts are joined as captured text instead, which is escaped only when it is printed.
 */
export function joinMarkup(parts: readonly Value[], rendering: Rendering): Markup | string {
  const isHtml = parts.some((part) => part instanceof Markup && part.kind === 'html');
  if (rendering.options.json && !isHtml) return joinCaptured(parts, rendering);
  let text = '';
  for (const part of parts) {
    const added = part instanceof Undefined ? '' : textOf(escapeToMarkup(part, rendering));
    text += added;
    rendering.budget.grow(text.length, added.length);
  }
  return new Markup(text, 'html');
}
