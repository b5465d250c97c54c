import type { Context } from './context.js';
import type { Output } from './output.js';
import type { Runtime } from './runtime.js';
import type { Scope } from './scope.js';

/** Where a statement runs: its names, what blocks see, and what it prints to. */
export interface Frame {
  readonly runtime: Runtime;
  readonly scope: Scope;
  readonly context: Context;
  readonly output: Output;
}
