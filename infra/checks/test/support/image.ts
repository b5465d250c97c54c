import { parseDockerfile, type Step } from '../../src/dockerfile.js';
import { readText } from './compose.js';

/** Returns the instructions of the last stage of the Dockerfile. */
export function imageSteps(): Step[] {
  return parseDockerfile(readText('infra/Dockerfile')).at(-1)?.steps ?? [];
}

export function imageEnv(): Record<string, string> {
  const steps = imageSteps().filter((step) => step.kind === 'env');
  return Object.assign({}, ...steps.map(({ values }) => values));
}
