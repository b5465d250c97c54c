import type { Ref, Symbols } from '../compiler/symbols.js';
import type { Value } from '../values/value.js';
import type { Context } from './context.js';
import type { Output } from './output.js';
import type { Runtime } from './runtime.js';

/** State in which a statement runs: rendering, scope, context and output. */
export interface Frame {
  readonly runtime: Runtime;
  readonly scope: Scope;
  readonly context: Context;
  readonly output: Output;
}

/** The values of the variables of one scope. A slot is undefined until its variable has a value. */
export interface Scope {
  readonly slots: (Value | undefined)[];
  readonly parent: Scope | null;
}

/** Number of slots for variables that can be allocated in the time of one step. */
const slotsPerStep = 32;

export function createScope(symbols: Symbols, parent: Scope | null, { budget }: Runtime): Scope {
  budget.charge(Math.floor(symbols.slotCount / slotsPerStep));
  return { slots: new Array<Value | undefined>(symbols.slotCount).fill(undefined), parent };
}

/** Number of names that can be looked up in one context in the time of one step. */
const namesPerStep = 4;

/** Initialises all variables of a scope except its parameters. */
export function enterScope(
  scope: Scope,
  symbols: Symbols,
  { context, runtime }: Pick<Frame, 'context' | 'runtime'>,
): void {
  const entries = symbols.entries();
  runtime.budget.charge((entries.length * context.depth) / namesPerStep);
  for (const [slot, load] of entries) {
    switch (load.kind) {
      case 'undefined':
        scope.slots[slot] = undefined;
        break;
      case 'resolve':
        scope.slots[slot] = context.resolve(load.name);
        break;
      case 'alias':
        scope.slots[slot] = readRef(scope, load.ref);
    }
  }
}

export function readRef(scope: Scope, ref: Ref): Value | undefined {
  return scopeOf(scope, ref).slots[ref.slot];
}

export function writeRef(scope: Scope, ref: Ref, value: Value): void {
  scopeOf(scope, ref).slots[ref.slot] = value;
}

function scopeOf(scope: Scope, ref: Ref): Scope {
  let owner = scope;
  for (let hops = ref.hops; hops > 0; hops--) owner = owner.parent!;
  return owner;
}
