import type { Budget } from '../budget.js';
import type { CompiledTemplate } from '../compiler/compiler.js';
import type { Value } from '../values/value.js';
import type { TracePiece } from './output.js';
import type { FilterTable, TestTable } from './tables.js';

interface RenderOptions {
  /** What is printed as a string is escaped for the inside of a JSON string. */
  readonly json: boolean;
  /** `round` of an undefined prints empty, where Jinja2 fails. */
  readonly lenientRound: boolean;
}

/** One rendering: what all parts of the evaluator share. */
export interface Runtime {
  readonly template: CompiledTemplate;
  readonly budget: Budget;
  readonly options: RenderOptions;
  readonly filters: FilterTable;
  readonly tests: TestTable;
  readonly globals: ReadonlyMap<string, Value>;
  /** Inside `{% autoescape true %}`: what is printed is escaped for HTML. */
  autoescape: boolean;
  /** In a constant that Jinja2 computes when compiling: a slice of what has none is undefined there. */
  folding: boolean;
  /** Where in the source the evaluator is, for the place of an error. */
  offset: number;
  /** Gets the pieces of the output, where somebody wants to know where they came from. */
  readonly trace: TracePiece[] | null;
  /** Containers that are being printed, to find one inside itself. */
  readonly printing: Set<object>;
}
