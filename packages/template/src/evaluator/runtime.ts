import type { CompiledTemplate } from '../compiler/compiler.js';
import type { Rendering } from '../rendering.js';
import type { CallArguments, Value } from '../values/value.js';
import type { Choose } from './choose.js';

/** A filter gets the filtered value as its first positional argument. */
export type FilterFunction = (args: CallArguments, runtime: Runtime) => Value;
export type TestFunction = (args: CallArguments, runtime: Runtime) => boolean;
export type FilterTable = ReadonlyMap<string, FilterFunction>;
export type TestTable = ReadonlyMap<string, TestFunction>;

/** A piece of the output and its place in the template; `value` is undefined for the template's own text. */
export interface TracePiece {
  readonly start: number;
  readonly end: number;
  /** Index into the source where the piece begins. */
  readonly offset: number;
  readonly value: Value | undefined;
}

/** The state of one rendering that all parts of the evaluator share. */
export interface Runtime extends Rendering {
  readonly template: CompiledTemplate;
  readonly filters: FilterTable;
  readonly tests: TestTable;
  readonly globals: ReadonlyMap<string, Value>;
  autoescape: boolean;
  /** Index into the source of the evaluated node, for the place of an error. */
  offset: number;
  /** Chooses for the filter `random`. */
  readonly choose: Choose;
  /** Receives the pieces of the output; null if their places are not needed. */
  readonly trace: TracePiece[] | null;
}
