import type { Ref } from '../parser/nodes.js';

/** What a slot holds when its scope is entered. */
export type Load =
  | { readonly kind: 'param' }
  | { readonly kind: 'undefined' }
  | { readonly kind: 'resolve'; readonly name: string }
  | { readonly kind: 'alias'; readonly ref: Ref };

type InitialLoad = readonly [slot: number, load: Exclude<Load, { kind: 'param' }>];

const PARAMETER: Load = { kind: 'param' };
const UNDEFINED: Load = { kind: 'undefined' };

/**
 * The names of one scope, as Jinja2's `idtracking.py` tells them apart before anything runs: where each is kept,
 * and whether it starts as a parameter, a copy of an outer one, or what the context says.
 */
export class Symbols {
  readonly parent: Symbols | null;
  private readonly level: number;
  /** Shared by the copies that the branches of an `if` work on: one name is one slot. */
  private slots = new Map<string, number>();
  private refs = new Map<string, number>();
  private loads = new Map<number, Load>();
  private stores = new Set<string>();
  private initialLoads: readonly InitialLoad[] | undefined;

  constructor(parent: Symbols | null) {
    this.parent = parent;
    this.level = parent === null ? 0 : parent.level + 1;
  }

  get slotCount(): number {
    return this.slots.size;
  }

  /** Slots and what they start with, parameters left out. Asked for at each entry, so it is kept once complete. */
  entries(): readonly InitialLoad[] {
    this.initialLoads ??= [...this.loads].flatMap(([slot, load]): InitialLoad[] =>
      load.kind === 'param' ? [] : [[slot, load]],
    );
    return this.initialLoads;
  }

  store(name: string): void {
    this.stores.add(name);
    if (this.refs.has(name)) return;
    const outer = this.parent?.findRef(name);
    this.define(name, outer === undefined ? UNDEFINED : { kind: 'alias', ref: outward(outer) });
  }

  load(name: string): void {
    if (this.findRef(name) === undefined) this.define(name, { kind: 'resolve', name });
  }

  declareParameter(name: string): number {
    this.stores.add(name);
    return this.define(name, PARAMETER);
  }

  findRef(name: string): Ref | undefined {
    let hops = 0;
    for (let symbols: Symbols | null = this; symbols !== null; symbols = symbols.parent) {
      const slot = symbols.refs.get(name);
      if (slot !== undefined) return { hops, slot };
      hops++;
    }
    return undefined;
  }

  copy(): Symbols {
    const copy = new Symbols(this.parent);
    copy.slots = this.slots;
    copy.refs = new Map(this.refs);
    copy.loads = new Map(this.loads);
    copy.stores = new Set(this.stores);
    return copy;
  }

  /** A name stored in some branches only is, in the others, what it was outside. */
  branchUpdate(branches: readonly Symbols[]): void {
    const counts = new Map<string, number>();
    for (const branch of branches) {
      for (const name of branch.stores) {
        if (!this.stores.has(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
      }
    }
    for (const branch of branches) {
      for (const [name, slot] of branch.refs) this.refs.set(name, slot);
      for (const [slot, load] of branch.loads) this.loads.set(slot, load);
      for (const name of branch.stores) this.stores.add(name);
    }
    for (const [name, count] of counts) {
      const slot = this.refs.get(name);
      if (count === branches.length || slot === undefined) continue;
      const outer = this.parent?.findRef(name);
      this.loads.set(
        slot,
        outer === undefined ? { kind: 'resolve', name } : { kind: 'alias', ref: outward(outer) },
      );
    }
  }

  /** Every name stored here or outside, innermost first: what a scoped block sees. */
  dumpStores(): [string, Ref][] {
    const found = new Map<string, Ref>();
    for (let symbols: Symbols | null = this; symbols !== null; symbols = symbols.parent) {
      for (const name of symbols.stores) {
        const ref = found.has(name) ? undefined : this.findRef(name);
        if (ref !== undefined) found.set(name, ref);
      }
    }
    return [...found];
  }

  private define(name: string, load: Load): number {
    const slot = this.slots.get(name) ?? this.slots.size;
    this.slots.set(name, slot);
    this.refs.set(name, slot);
    this.loads.set(slot, load);
    return slot;
  }
}

/** A ref found from the parent, seen from one scope further in. */
function outward(ref: Ref): Ref {
  return { hops: ref.hops + 1, slot: ref.slot };
}
