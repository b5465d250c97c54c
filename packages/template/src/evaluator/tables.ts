import type { Value } from '../values/value.js';
import type { CallArguments } from './call-arguments.js';
import type { Runtime } from './runtime.js';

/** A filter gets the filtered value as its first positional argument. */
export type FilterFunction = (args: CallArguments, runtime: Runtime) => Value;
export type TestFunction = (args: CallArguments, runtime: Runtime) => boolean;
export type FilterTable = ReadonlyMap<string, FilterFunction>;
export type TestTable = ReadonlyMap<string, TestFunction>;
