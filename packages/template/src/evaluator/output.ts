import { appendValue, printCaptured, TextBuilder } from '../json/captured-text.js';
import { endsInEscape, escapedAfter, escapeJsonString } from '../json/escape.js';
import { escapeHtml, escapeToMarkup } from '../values/markup-text.js';
import { str } from '../values/repr.js';
import { CapturedText, Markup } from '../values/simple-values.js';
import type { Value } from '../values/value.js';
import type { Runtime } from './runtime.js';

/** Receives printed text. */
export interface Output {
  /** Prints text of the template. `offset` is its index in the source. */
  data(text: string, offset: number): void;
  /** Prints a value. `offset` is the index of its expression in the source. */
  print(value: Value, offset: number): void;
}

/** The output of the whole template. */
export interface RootOutput extends Output {
  text(): string;
}

/**
 * The captured output of a macro, set block, filter block, recursive loop or called block (`self.title()`). The method
 * `value` returns the captured text as a template value.
 */
export interface CapturedOutput extends Output {
  value(): Value;
}

export function createRootOutput(runtime: Runtime): RootOutput {
  const { budget, trace } = runtime;
  const { json } = runtime.options;
  let text = '';
  let isInEscape = false;
  const append = (printed: string, offset: number, value: Value | undefined) => {
    budget.print(printed.length);
    trace?.push({ start: text.length, end: text.length + printed.length, offset, value });
    text += printed;
    isInEscape = endsInEscape(printed, isInEscape);
  };
  return {
    data: (data, offset) => append(data, offset, undefined),
    print: (value, offset) =>
      append(json ? jsonText(value, runtime, isInEscape) : printedText(value, runtime), offset, value),
    text: () => text,
  };
}

export function captureOutput(runtime: Runtime): CapturedOutput {
  return runtime.options.json ? captureForJson(runtime) : capturePlain(runtime);
}

function printedText(value: Value, runtime: Runtime): string {
  return runtime.autoescape ? escapeToMarkup(value, runtime).text : str(value, runtime);
}

/** Returns the text of a value for a JSON document. `isInEscape` is the state of the document (`endsInEscape`). */
function jsonText(value: Value, runtime: Runtime, isInEscape: boolean): string {
  if (value instanceof CapturedText) return printCaptured(value, { isInEscape, budget: runtime.budget });
  if (value instanceof Markup && value.kind === 'json') return value.text;
  return escapedAfter(isInEscape, escapeJsonString(unescapedText(value, runtime), runtime.budget));
}

function unescapedText(value: Value, runtime: Runtime): string {
  if (value instanceof Markup) return value.text;
  if (typeof value === 'string') return runtime.autoescape ? escapeHtml(value, runtime) : value;
  return printedText(value, runtime);
}

function capturePlain(runtime: Runtime): CapturedOutput {
  const buffer = createBuffer(runtime);
  return {
    data: buffer.append,
    print: (value) => buffer.append(printedText(value, runtime)),
    value: () => (runtime.autoescape ? new Markup(buffer.text(), 'html') : buffer.text()),
  };
}

function captureForJson(runtime: Runtime): CapturedOutput {
  const { budget } = runtime;
  const builder = new TextBuilder();
  return {
    data(data) {
      builder.appendTemplateText(data);
      budget.grow(builder.length, data.length);
    },
    print(value) {
      const before = builder.length;
      appendValue(builder, runtime.autoescape ? escapeToMarkup(value, runtime) : value, runtime);
      budget.grow(builder.length, builder.length - before);
    },
    value() {
      const value = builder.value();
      return runtime.autoescape && typeof value === 'string' ? new Markup(value, 'html') : value;
    },
  };
}

function createBuffer({ budget }: Runtime): { append(piece: string): void; text(): string } {
  let text = '';
  return {
    append(piece) {
      text += piece;
      budget.grow(text.length, piece.length);
    },
    text: () => text,
  };
}
