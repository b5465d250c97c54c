import { OverrunFailure, RenderFailure } from './failures.js';

export interface Limits {
  steps: number;
  /** UTF-16 units of any one string. */
  stringLength: number;
  listLength: number;
  /** UTF-16 units. */
  outputLength: number;
  integerBits: number;
  /** Macros and loops inside each other. */
  activations: number;
  /** Nodes being evaluated inside each other; keeps far from the end of the JavaScript stack. */
  depth: number;
  wallClockMs: number;
}

export const defaultLimits: Limits = {
  steps: 200_000,
  stringLength: 1_000_000,
  listLength: 200_000,
  outputLength: 1_000_000,
  integerBits: 4_096,
  activations: 100,
  depth: 1_000,
  wallClockMs: 100,
};

/** Characters of text that may be looked at for one step; a step is then well under a microsecond. */
const charactersPerStep = 16;
const clockMask = 1_023;

/**
 * What one rendering may spend. Everything but the wall clock is deterministic: the same template and values
 * always end in the same place. Work is charged by its size before it is done.
 */
export class Budget {
  readonly limits: Limits;
  #steps = 0;
  #output = 0;
  #activations = 0;
  #depth = 0;
  #nextClock = clockMask;
  readonly #startedAt: number;
  readonly #now: () => number;
  readonly #integerLimit: bigint;

  constructor(limits: Limits, now: () => number) {
    this.limits = limits;
    this.#now = now;
    this.#startedAt = now();
    this.#integerLimit = integerLimitOf(limits.integerBits);
  }

  step(): void {
    if (++this.#steps >= this.#nextClock) this.#checkpoint();
  }

  charge(steps: number): void {
    this.#steps += Math.ceil(steps);
    if (this.#steps >= this.#nextClock) this.#checkpoint();
  }

  /** Reading or writing that many characters. */
  characters(count: number): void {
    if (count >= charactersPerStep) this.charge(count / charactersPerStep);
  }

  /** A new string of that length is about to be made. */
  string(length: number): void {
    if (length > this.limits.stringLength) {
      throw exceeded(`a string would be longer than ${this.limits.stringLength} characters`);
    }
    this.characters(length);
  }

  /** Items of a list gone through, or characters where each is looked at on its own. */
  items(count: number): void {
    if (count > 0) this.charge(count);
  }

  /** A new list, tuple or dict of that many items is about to be made. */
  list(length: number): void {
    if (length > this.limits.listLength) {
      throw exceeded(`a list would be longer than ${this.limits.listLength} items`);
    }
    this.items(length);
  }

  integer(value: bigint): bigint {
    if (value > this.#integerLimit || value < -this.#integerLimit) {
      throw exceeded(`an integer would have more than ${this.limits.integerBits} bits`);
    }
    return value;
  }

  print(length: number): void {
    this.#output += length;
    if (this.#output > this.limits.outputLength) {
      throw exceeded(`the output would be longer than ${this.limits.outputLength} characters`);
    }
    this.characters(length);
  }

  /** Entering a macro, loop, block or call block; every `enter` is matched by a `leave`. */
  enter(): void {
    if (++this.#activations > this.limits.activations) {
      throw exceeded(`macros and loops are more than ${this.limits.activations} deep inside each other`);
    }
  }

  leave(): void {
    this.#activations--;
  }

  descend(): void {
    if (++this.#depth > this.limits.depth) throw exceeded('the template is nested too deeply');
  }

  ascend(): void {
    this.#depth--;
  }

  #checkpoint(): void {
    if (this.#steps > this.limits.steps) {
      throw exceeded(`rendering takes more than ${this.limits.steps} steps`);
    }
    this.#nextClock = Math.min((this.#steps | clockMask) + 1, this.limits.steps + 1);
    if (this.#now() - this.#startedAt > this.limits.wallClockMs) {
      throw new OverrunFailure(this.limits.wallClockMs);
    }
  }
}

function exceeded(what: string): RenderFailure {
  return new RenderFailure('BudgetExceeded', `the template does too much: ${what}`);
}

const defaultIntegerLimit = 1n << BigInt(defaultLimits.integerBits);

function integerLimitOf(bits: number): bigint {
  return bits === defaultLimits.integerBits ? defaultIntegerLimit : 1n << BigInt(bits);
}
