import type { Budget } from '../budget.js';
import type { Rendering } from '../rendering.js';
import { str } from '../values/repr.js';
import { CapturedText, Markup } from '../values/simple-values.js';
import type { Value } from '../values/value.js';
import { endsInEscape, escapedAfter, escapeJsonString } from './escape.js';

/**
 * Captured text. A macro, set block or filter block captures text that comes partly from the template and partly from
 * values, and only text from values must be escaped when the captured text is printed. `CapturedText` therefore has its
 * plain text, and a second text of the same length, `trust`, that says for each UTF-16 unit where it comes from.
 *
 * An operation that knows nothing of `trust` reads the plain text, as Jinja2 does, and its result is a string without
 * trust, which is escaped when it is printed. Only the functions of this file create trusted text. They copy trust
 * together with the text that it belongs to, and a value has none, whatever characters it contains.
 */
const fromTemplate = 't';
const fromValue = 'v';
/** Characters that are printed differently with and without trust. */
const special = /["\\\p{Cc}\u2028\u2029]/u;

/** Collects text together with its trust. Strings without trust cost no more than a concatenation. */
export class TextBuilder {
  #text = '';
  /** Undefined as long as no part has trust. */
  #trust: string | undefined;

  get length(): number {
    return this.#text.length;
  }

  /** Appends the template's own text, which is printed unescaped. */
  appendTemplateText(text: string): void {
    this.#append(text, fromTemplate.repeat(text.length));
  }

  /** Appends a string with the trust that it has. */
  append(value: string | Markup): void {
    if (typeof value === 'string') this.#append(value, undefined);
    else this.#append(value.text, trustOf(value));
  }

  /** Appends a part of a string with the trust that it has. */
  appendPart(value: string | Markup, start: number, end = Number.POSITIVE_INFINITY): void {
    if (typeof value === 'string') this.#append(value.slice(start, end), undefined);
    else this.#append(value.text.slice(start, end), trustOf(value)?.slice(start, end));
  }

  #append(text: string, trust: string | undefined): void {
    if (trust !== undefined) this.#trust = this.#allTrust() + trust;
    else if (this.#trust !== undefined) this.#trust += fromValue.repeat(text.length);
    this.#text += text;
  }

  #allTrust(): string {
    return this.#trust ?? fromValue.repeat(this.#text.length);
  }

  /** Returns the text as a value: CapturedText if its trust makes a difference, otherwise a plain string. */
  value(): string | CapturedText {
    return this.#trust === undefined ? this.#text : withTrust(this.#text, this.#trust);
  }
}

function withTrust(text: string, trust: string): string | CapturedText {
  return special.test(text) && trust.includes(fromTemplate) ? new CapturedText(text, trust) : text;
}

/** Returns the trust of a string. Undefined for text that is escaped when it is printed, which HTML Markup is too. */
function trustOf(value: string | Markup): string | undefined {
  if (value instanceof CapturedText) return value.trust;
  return isTrusted(value) ? fromTemplate.repeat(value.text.length) : undefined;
}

/** Returns true for a string of which at least a part is printed unescaped. */
export function isTrusted(value: Value): value is Markup {
  return value instanceof Markup && value.kind !== 'html';
}

/** Returns a part of a string as Markup of the same kind, or as a plain string for a plain string. */
export function cut(value: string | Markup, start: number, end = Number.POSITIVE_INFINITY): string | Markup {
  if (typeof value === 'string') return value.slice(start, end);
  const text = value.text.slice(start, end);
  if (value instanceof CapturedText) return withTrust(text, value.trust.slice(start, end));
  return new Markup(text, value.kind);
}

export function repeatText(value: string | Markup, times: number): string | Markup {
  if (typeof value === 'string') return value.repeat(times);
  const text = value.text.repeat(times);
  if (value instanceof CapturedText) return withTrust(text, value.trust.repeat(times));
  return new Markup(text, value.kind);
}

/** Returns a string between two strings without trust. */
export function surround(value: string | Markup, left: string, right: string): string | Markup {
  if (value instanceof Markup && value.kind === 'html') return new Markup(left + value.text + right, 'html');
  const builder = new TextBuilder();
  builder.append(left);
  builder.append(value);
  builder.append(right);
  return builder.value();
}

/**
 * Changes the case of a string. `change` must replace each character by one or more others, so that a result of equal
 * length has every character at its old place. In a longer result the places are known only for each run of characters
 * with equal trust, so each run is changed alone.
 */
export function changeCase(value: string | Markup, change: (text: string) => string): string | Markup {
  if (typeof value === 'string') return change(value);
  const text = change(value.text);
  if (!(value instanceof CapturedText)) return new Markup(text, value.kind);
  if (text.length === value.text.length) return withTrust(text, value.trust);
  const builder = new TextBuilder();
  for (const { start, end, isTemplate } of runsOf(value)) {
    const changed = change(value.text.slice(start, end));
    if (isTemplate) builder.appendTemplateText(changed);
    else builder.append(changed);
  }
  return builder.value();
}

/** Yields the runs of characters with equal trust. */
function* runsOf({ text, trust }: CapturedText) {
  for (let start = 0; start < text.length; ) {
    const isTemplate = trust.charAt(start) === fromTemplate;
    const next = trust.indexOf(isTemplate ? fromValue : fromTemplate, start);
    const end = next === -1 ? text.length : next;
    yield { start, end, isTemplate };
    start = end;
  }
}

/**
 * Escapes the text that comes from values for the inside of a JSON string. `isInEscape` is the state of the text before
 * (`endsInEscape`).
 */
export function printCaptured(
  value: CapturedText,
  { isInEscape, budget }: { isInEscape: boolean; budget: Budget },
): string {
  budget.characters(value.text.length);
  let printed = '';
  for (const { start, end, isTemplate } of runsOf(value)) {
    budget.step();
    const run = value.text.slice(start, end);
    const text = isTemplate ? run : escapedAfter(isInEscape, escapeJsonString(run, budget));
    printed += text;
    isInEscape = endsInEscape(text, isInEscape);
  }
  return printed;
}

/** Joins values as text, each with the trust that it has. */
export function joinCaptured(parts: readonly Value[], rendering: Rendering): string | CapturedText {
  const builder = new TextBuilder();
  for (const part of parts) {
    const before = builder.length;
    appendValue(builder, part, rendering);
    rendering.budget.grow(builder.length, builder.length - before);
  }
  return builder.value();
}

/** Appends the text of any value with the trust that it has. */
export function appendValue(builder: TextBuilder, value: Value, rendering: Rendering): void {
  builder.append(isTrusted(value) ? value : str(value, rendering));
}
