import type { Runtime } from '../evaluator/runtime.js';
import { joinMarked } from '../json/marked-text.js';
import { Markup } from './markup.js';
import { str } from './repr.js';
import { isString, textOf } from './text.js';
import { Undefined } from './undefined.js';
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

export function escapeHtml(text: string, runtime: Runtime): string {
  if (!htmlSpecial.test(text)) return text;
  runtime.budget.string(text.length);
  const escaped = text.replace(htmlSpecials, (character) => htmlEntities[character]!);
  runtime.budget.string(escaped.length);
  return escaped;
}

/** markupsafe's `escape`: Markup stays as it is. */
export function escapeToMarkup(value: Value, runtime: Runtime): Markup {
  if (value instanceof Markup) return value;
  return new Markup(escapeHtml(str(value, runtime), runtime), 'html');
}

/** markupsafe's `soft_str`: a string that keeps being Markup. */
export function softStr(value: Value, runtime: Runtime): string | Markup {
  return isString(value) ? value : str(value, runtime);
}

/** Strings one behind the other, of which one at least is Markup: what is not is escaped. */
export function concatenateMarkup(left: Value, right: Value, runtime: Runtime): Markup | string {
  return joinMarkup([left, right], runtime);
}

/** The parts joined as Markup. With JSON-safe output what is not safe stays to be escaped when it is printed. */
export function joinMarkup(parts: readonly Value[], runtime: Runtime): Markup | string {
  const isHtml = parts.some((part) => part instanceof Markup && part.kind === 'html');
  if (runtime.options.json && !isHtml) return joinMarked(parts, runtime);
  let text = '';
  for (const part of parts) {
    const added = part instanceof Undefined ? '' : textOf(escapeToMarkup(part, runtime));
    text += added;
    runtime.budget.grow(text.length, added.length);
  }
  return new Markup(text, 'html');
}
