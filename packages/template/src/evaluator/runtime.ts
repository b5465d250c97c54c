import type { CompiledTemplate } from '../compiler/compiler.js';
import type { Rendering } from '../rendering.js';
import type { CallArguments, Value } from '../values/value.js';
import type { Choose } from './choose.js';

/** A filter gets the filtered value as its first positional argument. */
export type FilterFunction = (args: CallArguments, runtime: Runtime) => Value;
export type TestFunction = (args: CallArguments, runtime: Runtime) => boolean;
export type FilterTable = ReadonlyMap<string, FilterFunction>;
export type TestTable = ReadonlyMap<string, TestFunction>;

/**
 * A part of the output (from `start` to `end`) and its place in the template. `value` is the printed value, or
 * undefined for the template's own text.
 */
export interface TracePiece {
  readonly start: number;
  readonly end: number;
  /** Index in the source of the text, or of the expression or statement that printed the value. */
  readonly offset: number;
  readonly value: Value | undefined;
}

/** State of one rendering, shared by all parts of the evaluator. */
export interface Runtime extends Rendering {
  readonly template: CompiledTemplate;
  readonly filters: FilterTable;
  readonly tests: TestTable;
  readonly globals: ReadonlyMap<string, Value>;
  autoescape: boolean;
  /** Index of the evaluated node in the source, for error messages. */
  offset: number;
  /** Chooses the items for the filter `random`. */
  readonly choose: Choose;
  /** Receives the parts of the output. Null if the caller does not need them. */
  readonly trace: TracePiece[] | null;
}
