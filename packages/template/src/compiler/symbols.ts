/** `hops` scopes up, at `slot`. A parameter is always bound, or was given its own kind of undefined. */
export interface Ref {
  readonly hops: number;
  readonly slot: number;
}

/** What a slot holds when its scope is entered. */
export type Load =
  | { readonly kind: 'param' }
  | { readonly kind: 'undefined' }
  | { readonly kind: 'resolve'; readonly name: string }
  | { readonly kind: 'alias'; readonly ref: Ref };

type InitialLoad = readonly [slot: number, load: Exclude<Load, { kind: 'param' }>];

const parameterLoad: Load = { kind: 'param' };
const undefinedLoad: Load = { kind: 'undefined' };

/**
 * The names of one scope, as Jinja2's `idtracking.py` tells them apart before anything runs: where each is kept,
 * and whether it starts as a parameter, a copy of an outer one, or what the context says.
 */
export class Symbols {
  readonly parent: Symbols | null;
  readonly #level: number;
  /** In a branch of an `if`: what it adds to. */
  readonly #base: Symbols | null;
  /** Shared with the branches: one name is one slot. */
  readonly #slots: Map<string, number>;
  readonly #refs = new Map<string, number>();
  readonly #loads = new Map<number, Load>();
  readonly #stores = new Set<string>();
  #initialLoads: readonly InitialLoad[] | undefined;
  #visible: [string, Ref][] | undefined;

  constructor(parent: Symbols | null, base: Symbols | null = null) {
    this.parent = parent;
    this.#level = parent === null ? 0 : parent.#level + 1;
    this.#base = base;
    this.#slots = base === null ? new Map<string, number>() : base.#slots;
  }

  get slotCount(): number {
    return this.#slots.size;
  }

  /** Slots and what they start with, parameters left out. Asked for at each entry, so it is kept once complete. */
  entries(): readonly InitialLoad[] {
    this.#initialLoads ??= [...this.#loads].flatMap(([slot, load]): InitialLoad[] =>
      load.kind === 'param' ? [] : [[slot, load]],
    );
    return this.#initialLoads;
  }

  store(name: string): void {
    this.#stores.add(name);
    if (this.#slotOf(name) !== undefined) return;
    const outer = this.parent?.findRef(name);
    this.#define(name, outer === undefined ? undefinedLoad : { kind: 'alias', ref: outward(outer) });
  }

  load(name: string): void {
    if (this.findRef(name) === undefined) this.#define(name, { kind: 'resolve', name });
  }

  declareParameter(name: string): number {
    this.#stores.add(name);
    return this.#define(name, parameterLoad);
  }

  findRef(name: string): Ref | undefined {
    let hops = 0;
    for (let symbols: Symbols | null = this; symbols !== null; symbols = symbols.parent) {
      const slot = symbols.#slotOf(name);
      if (slot !== undefined) return { hops, slot };
      hops++;
    }
    return undefined;
  }

  /** For one branch of an `if`: holds what the branch adds, since a copy for each would cost the names each time. */
  branch(): Symbols {
    return new Symbols(this.parent, this);
  }

  /** A name stored in some branches only is, in the others, what it was outside. */
  branchUpdate(branches: readonly Symbols[]): void {
    const counts = new Map<string, number>();
    for (const branch of branches) {
      for (const name of branch.#stores) {
        if (!this.#isStored(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
      }
    }
    for (const branch of branches) {
      for (const [name, slot] of branch.#refs) this.#refs.set(name, slot);
      for (const [slot, load] of branch.#loads) this.#loads.set(slot, load);
      for (const name of branch.#stores) this.#stores.add(name);
    }
    for (const [name, count] of counts) {
      const slot = this.#slotOf(name);
      if (count === branches.length || slot === undefined) continue;
      const outer = this.parent?.findRef(name);
      this.#loads.set(
        slot,
        outer === undefined ? { kind: 'resolve', name } : { kind: 'alias', ref: outward(outer) },
      );
    }
  }

  /** Every name stored here or outside, innermost first: what a scoped block sees, once all are known. */
  dumpStores(): [string, Ref][] {
    this.#visible ??= this.#findStores();
    return this.#visible;
  }

  #findStores(): [string, Ref][] {
    const found = new Map<string, Ref>();
    for (let symbols: Symbols | null = this; symbols !== null; symbols = symbols.parent) {
      for (const name of symbols.#stores) {
        const ref = found.has(name) ? undefined : this.findRef(name);
        if (ref !== undefined) found.set(name, ref);
      }
    }
    return [...found];
  }

  #slotOf(name: string): number | undefined {
    const slot = this.#refs.get(name);
    return slot === undefined && this.#base !== null ? this.#base.#slotOf(name) : slot;
  }

  #isStored(name: string): boolean {
    if (this.#stores.has(name)) return true;
    return this.#base === null ? false : this.#base.#isStored(name);
  }

  #define(name: string, load: Load): number {
    const slot = this.#slots.get(name) ?? this.#slots.size;
    this.#slots.set(name, slot);
    this.#refs.set(name, slot);
    this.#loads.set(slot, load);
    return slot;
  }
}

/** A ref found from the parent, seen from one scope further in. */
function outward(ref: Ref): Ref {
  return { hops: ref.hops + 1, slot: ref.slot };
}
