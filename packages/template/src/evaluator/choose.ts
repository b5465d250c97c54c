/** Returns an index below `count`. The filter `random` calls it for each item that it chooses. */
export type Choose = (count: number) => number;

export const chooseFirst: Choose = () => 0;
export const chooseLast: Choose = (count) => count - 1;

/**
 * Creates a function whose n-th choice depends only on the seed, n and `count`. The choices are therefore the same on
 * every machine.
 */
export function chooseBySeed(seed: string): Choose {
  let state: number | undefined;
  return (count) => {
    state = ((state ?? hash(seed)) + weyl) | 0;
    return Math.floor((mix(state) / 2 ** 32) * count);
  };
}

/**
 * 2^32 divided by the golden ratio: the increment of the generator splitmix32. The number is odd, so the state takes
 * all 2^32 values before it repeats.
 */
const weyl = 0x9e3779b9;

/**
 * Returns the FNV-1a hash of the UTF-16 units. Similar seeds give similar hashes; `mix` makes the choices of similar
 * seeds independent.
 */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    state = Math.imul(state ^ text.charCodeAt(index), 0x01000193);
  }
  return state;
}

/** Applies the finalizer of MurmurHash3. Returns an unsigned integer. */
function mix(state: number): number {
  let mixed = state ^ (state >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
