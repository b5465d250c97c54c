/**
 * Parameters of `fc.assert`: `numRuns` cases. fast-check prints the seed of a failure; the environment variable
 * PROPERTY_SEED repeats it.
 */
export function propertyRuns(numRuns: number): { numRuns: number; seed?: number } {
  const seed = process.env.PROPERTY_SEED;
  return seed ? { numRuns, seed: Number(seed) } : { numRuns };
}
