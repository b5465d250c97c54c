import type { Value } from '../values/value.js';
import { Dict, Tuple } from '../values/value.js';

/**
 * Variables that every block can read. A look-up searches the names that are set at the top level, then the caller's
 * variables, then the globals.
 */
export interface Context {
  resolve(name: string): Value | undefined;
  /**
   * Number of contexts that a look-up can search: 1 plus the number of enclosing scoped blocks with local variables.
   */
  readonly depth: number;
  set(name: string, value: Value): void;
  /** Returns a context for a scoped block, in which `locals` are searched first. */
  derive(locals: ReadonlyMap<string, Value>): Context;
}

export type Variables = Pick<ReadonlyMap<string, Value>, 'get'>;

export function createContext(passed: Variables, globals: Variables): Context {
  const isolated = new Map<string, Value>();
  return contextOver(1, (name) => {
    const known = isolated.get(name);
    if (known !== undefined) return known;
    const value = passed.get(name);
    if (value === undefined) return globals.get(name);
    if (value === null || typeof value !== 'object') return value;
    const own = isolate(value);
    isolated.set(name, own);
    return own;
  });
}

function contextOver(depth: number, resolveOuter: (name: string) => Value | undefined): Context {
  const vars = new Map<string, Value>();
  const resolve = (name: string) => {
    const value = vars.get(name);
    return value === undefined ? resolveOuter(name) : value;
  };
  return {
    resolve,
    depth,
    set: (name, value) => void vars.set(name, value),
    derive: (locals) =>
      contextOver(depth + 1, (name) => locals.get(name) ?? (locals.has(name) ? null : resolve(name))),
  };
}

/** Copies lists and dicts, because a template can change them, and the caller's values must not change. */
function isolate(value: Value): Value {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(isolate);
  if (value instanceof Dict) return value.mapValues(isolate);
  return value instanceof Tuple ? new Tuple(value.items.map(isolate)) : value;
}
