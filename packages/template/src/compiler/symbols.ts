/** Location of a variable: the scope that is `hops` levels outward, and the index `slot` in it. */
export interface Ref {
  readonly hops: number;
  readonly slot: number;
}

/** The initial content of a variable's slot. */
export type Load =
  | { readonly kind: 'param' }
  | { readonly kind: 'undefined' }
  | { readonly kind: 'resolve'; readonly name: string }
  | { readonly kind: 'alias'; readonly ref: Ref };

type InitialLoad = readonly [slot: number, load: Exclude<Load, { kind: 'param' }>];

const parameterLoad: Load = { kind: 'param' };
const undefinedLoad: Load = { kind: 'undefined' };

/**
 * The names of one scope, as in Jinja2's `idtracking.py`. Each name has a slot for its value. A slot initially contains
 * an argument, a copy of an outer variable, the result of a look-up in the context, or undefined.
 */
export class Symbols {
  readonly parent: Symbols | null;
  readonly #level: number;
  /** In a branch of an `if`, the symbols that the branch extends. Otherwise null. */
  readonly #base: Symbols | null;
  /** Slot number of each name. A scope and the branches of its `if` statements use the same map. */
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

  /**
   * Returns the initial content of all slots except those of parameters. The list is cached, because each start of a
   * scope needs it.
   */
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

  /**
   * Returns symbols for one branch of an `if`. They contain only the changes of the branch, because copying all symbols
   * into each branch would take quadratic time.
   */
  branch(): Symbols {
    return new Symbols(this.parent, this);
  }

  /**
   * Merges the branches of an `if`. If only some branches assign a name, the name keeps its outer value in the other
   * branches.
   */
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

  /**
   * Returns all names that this scope or an outer scope assigns, innermost first. The result of the first call is
   * cached. The first call must therefore come after all assignments of the scope have been found.
   */
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

/** Converts a location as seen from the parent scope to the location as seen from the child scope. */
function outward(ref: Ref): Ref {
  return { hops: ref.hops + 1, slot: ref.slot };
}
