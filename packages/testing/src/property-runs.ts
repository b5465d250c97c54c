/**
 * Returns parameters for `fc.assert`. fast-check prints the seed of a failure. Set the environment variable
 * PROPERTY_SEED to this seed to repeat the failure.
 */
export function propertyRuns(numRuns: number): { numRuns: number; seed?: number } {
  const seed = process.env.PROPERTY_SEED;
  return seed ? { numRuns, seed: Number(seed) } : { numRuns };
}
