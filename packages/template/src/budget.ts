import { OverrunFailure, RenderFailure } from './failures.js';

export interface Limits {
  /** Maximum number of steps. A step is a unit of work that takes 60 ns on average and at most about 350 ns. */
  steps: number;
  /** Maximum length of each string in UTF-16 units. */
  stringLength: number;
  listLength: number;
  /** Maximum length of the whole output in UTF-16 units. */
  outputLength: number;
  integerBits: number;
  /** Maximum nesting of macros, loops and blocks. */
  activations: number;
  /**
   * Maximum nesting of syntax nodes and of containers. The JavaScript stack overflows only at several times this value.
   */
  depth: number;
  wallClockMs: number;
}

/**
 * The slowest known template within these limits takes 11 ms of CPU time (`npm run template:costs`). A typical chat
 * message takes 64 steps, and a loop over 20 labels of 256 characters takes 500 to 2,100 steps.
 */
export const defaultLimits: Limits = {
  steps: 30_000,
  stringLength: 262_144,
  listLength: 30_000,
  outputLength: 262_144,
  integerBits: 4_096,
  activations: 100,
  depth: 1_000,
  wallClockMs: 100,
};

/** Number of characters that V8 copies or compares in less than the time of one step. */
const charactersPerStep = 16;
const clockMask = 1_023;

/**
 * Counts the work of one rendering in steps, and throws when a limit is exceeded. Steps are counted before the work is
 * done. All limits except the wall clock are deterministic: a template with the same values always fails at the same
 * place. The wall clock is the last resort, and is read only every 1,024 steps.
 */
export class Budget {
  readonly limits: Limits;
  #steps = 0;
  #output = 0;
  #activations = 0;
  #depth = 0;
  #nextClock = clockMask;
  readonly #startedAtMs: number;
  readonly #now: () => number;
  readonly #integerLimit: bigint;

  constructor(limits: Limits, now: () => number) {
    this.limits = limits;
    this.#now = now;
    this.#startedAtMs = now();
    this.#integerLimit = integerLimitOf(limits.integerBits);
  }

  /** Number of steps charged so far. */
  get steps(): number {
    return this.#steps;
  }

  step(): void {
    if (++this.#steps >= this.#nextClock) this.#checkpoint();
  }

  charge(steps: number): void {
    this.#steps += Math.ceil(steps);
    if (this.#steps >= this.#nextClock) this.#checkpoint();
  }

  /**
   * Charges one step for every 16 characters that V8 copies or compares in one operation, rounded up. Fewer than 16
   * characters are free.
   */
  characters(count: number): void {
    if (count >= charactersPerStep) this.charge(count / charactersPerStep);
  }

  /** Charges steps for a new string, and checks its length. */
  string(length: number): void {
    this.grow(length, length);
  }

  /**
   * Charges steps for `added` characters that are appended to a string, and checks the new length of the string. NaN
   * exceeds the limit.
   */
  grow(length: number, added: number): void {
    if (!(length <= this.limits.stringLength)) {
      throw exceeded(
        `a text would be longer than ${this.limits.stringLength} characters`,
        'build shorter texts',
      );
    }
    this.characters(added);
  }

  /**
   * Charges one step for each item or character that the evaluator processes one by one, and not in one operation of
   * V8 (see `characters`).
   */
  items(count: number): void {
    if (count > 0) this.charge(count);
  }

  /** Charges one step for each item of a new list, tuple or dict, and checks its length. NaN exceeds the limit. */
  list(length: number): void {
    if (!(length <= this.limits.listLength)) {
      throw exceeded(`a list would have more than ${this.limits.listLength} items`, 'build shorter lists');
    }
    this.items(length);
  }

  integer(value: bigint): bigint {
    if (value > this.#integerLimit || value < -this.#integerLimit) {
      throw exceeded(
        `an integer would have more than ${this.limits.integerBits} bits`,
        'use smaller numbers',
      );
    }
    return value;
  }

  print(length: number): void {
    this.#output += length;
    if (this.#output > this.limits.outputLength) {
      throw exceeded(`the output would be longer than ${this.limits.outputLength} characters`, 'print less');
    }
    this.characters(length);
  }

  /** Counts the start of a macro, loop or block. `leave` must be called at its end. */
  enter(): void {
    if (++this.#activations > this.limits.activations) {
      throw exceeded(
        `macros and loops are nested more than ${this.limits.activations} deep`,
        'nest them less',
      );
    }
  }

  leave(): void {
    this.#activations--;
  }

  descend(): void {
    if (++this.#depth > this.limits.depth) throw nestedTooDeeply();
  }

  ascend(): void {
    this.#depth--;
  }

  #checkpoint(): void {
    if (this.#steps > this.limits.steps) {
      throw exceeded(
        `it takes more than ${this.limits.steps} steps`,
        'use fewer and shorter loops, lists and texts',
      );
    }
    this.#nextClock = Math.min((this.#steps | clockMask) + 1, this.limits.steps + 1);
    if (this.#now() - this.#startedAtMs > this.limits.wallClockMs) {
      throw new OverrunFailure(this.limits.wallClockMs);
    }
  }
}

export function nestedTooDeeply(): RenderFailure {
  return exceeded('expressions or values are nested too deeply', 'nest them less');
}

function exceeded(what: string, advice: string): RenderFailure {
  return new RenderFailure('BudgetExceeded', `the template exceeds its budget: ${what}; ${advice}`);
}

const defaultIntegerLimit = 1n << BigInt(defaultLimits.integerBits);

function integerLimitOf(bits: number): bigint {
  return bits === defaultLimits.integerBits ? defaultIntegerLimit : 1n << BigInt(bits);
}
