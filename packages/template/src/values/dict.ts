import type { Budget } from '../budget.js';
import { type HashKey, hashKey } from './hash.js';
import type { Value } from './value.js';

/** Python's dict: in order of insertion, keys equal as in Python (`1 == 1.0 == True`), the first key kept. */
export class Dict {
  readonly #entriesByKey = new Map<HashKey, [Value, Value]>();

  static fromStrings(entries: Iterable<readonly [string, Value]>): Dict {
    const dict = new Dict();
    for (const [key, value] of entries) dict.setString(key, value);
    return dict;
  }

  get size(): number {
    return this.#entriesByKey.size;
  }

  get(key: Value, budget: Budget): Value | undefined {
    return this.#entriesByKey.get(hashKey(key, budget))?.[1];
  }

  getString(key: string): Value | undefined {
    return this.#entriesByKey.get(stringKey(key))?.[1];
  }

  has(key: Value, budget: Budget): boolean {
    return this.#entriesByKey.has(hashKey(key, budget));
  }

  set(key: Value, value: Value, budget: Budget): void {
    const hash = hashKey(key, budget);
    const entry = this.#entriesByKey.get(hash);
    if (entry !== undefined) {
      entry[1] = value;
      return;
    }
    budget.step();
    if (this.#entriesByKey.size >= budget.limits.listLength) budget.list(this.#entriesByKey.size + 1);
    this.#entriesByKey.set(hash, [key, value]);
  }

  setString(key: string, value: Value): void {
    const hash = stringKey(key);
    const entry = this.#entriesByKey.get(hash);
    if (entry === undefined) this.#entriesByKey.set(hash, [key, value]);
    else entry[1] = value;
  }

  delete(key: Value, budget: Budget): Value | undefined {
    const hash = hashKey(key, budget);
    const entry = this.#entriesByKey.get(hash);
    this.#entriesByKey.delete(hash);
    return entry?.[1];
  }

  clear(): void {
    this.#entriesByKey.clear();
  }

  keys(): Value[] {
    return Array.from(this.#entriesByKey.values(), ([key]) => key);
  }

  values(): Value[] {
    return Array.from(this.#entriesByKey.values(), ([, value]) => value);
  }

  /** Live: sees what is added meanwhile. */
  entries(): IterableIterator<[Value, Value]> {
    return this.#entriesByKey.values();
  }

  mapValues(map: (value: Value) => Value): Dict {
    const mapped = new Dict();
    for (const [hash, [key, value]] of this.#entriesByKey) mapped.#entriesByKey.set(hash, [key, map(value)]);
    return mapped;
  }

  copy(budget: Budget): Dict {
    budget.list(this.size);
    const copy = new Dict();
    for (const [hash, [key, value]] of this.#entriesByKey) copy.#entriesByKey.set(hash, [key, value]);
    return copy;
  }
}

function stringKey(key: string): HashKey {
  return key.charCodeAt(0) === 0 ? `\0s${key}` : key;
}
