import { createFaultTestBed } from './fault-test-bed.js';
import type { MutationCase } from './mutation-cases.js';
import { markOf } from './mutations.js';
import { runFault } from './run-fault.js';
import type { Timing } from './timing.js';

export interface MutationResult {
  /**
   * True if the suite reported the expected problem, at least one delivery arrived, and no process crashed or ended by
   * itself.
   */
  detected: boolean;
  problems: string[];
}

/**
 * Runs a fault against a system in which the workers or the API have a mutation.
 * @throws Error if a service has not loaded the mutation
 */
export async function runMutation(
  mutation: MutationCase,
  { timing, print }: { timing: Timing; print: (line: string) => void },
): Promise<MutationResult> {
  const loader = new URL('./mutation-loader.js', import.meta.url);
  loader.searchParams.set('mutation', mutation.name);
  const nodeOptions = { [mutation.target]: ['--import', loader.href] };
  const testBed = await createFaultTestBed({ timing, nodeOptions, print });
  try {
    const targets = mutation.target === 'worker' ? testBed.workers : [testBed.api];
    for (const target of targets) {
      if (!target.takeNewLog().includes(markOf(mutation)))
        throw new Error(`${target.name} runs without the mutation: ${mutation.module} was not loaded.`);
    }
    const { problems, delivered } = await runFault(testBed, mutation.fault);
    // A system that delivers nothing, or whose processes crash, can show the expected problem too. Such a run does not
    // count as a detection.
    const works = delivered > 0 && !problems.some((problem) => /crashed|by itself/.test(problem));
    return {
      detected: works && problems.some((problem) => mutation.expectedProblem.test(problem)),
      problems,
    };
  } finally {
    await testBed.stop();
  }
}
