import { startStage } from './fault-test-bed.js';
import type { Proof } from './mutation-cases.js';
import { markOf } from './mutations.js';
import { runFault } from './run-fault.js';
import type { Timing } from './timing.js';

/** Breaks a promise on purpose; the problems that the suite has found, and whether they name it. */
export async function prove(
  proof: Proof,
  { timing, say }: { timing: Timing; say: (line: string) => void },
): Promise<{ seen: boolean; problems: string[] }> {
  const hook = new URL('./mutation-loader.js', import.meta.url);
  hook.searchParams.set('sabotage', proof.name);
  const options = ['--import', hook.href];
  const stage = await startStage({
    timing,
    nodeOptions: { worker: [], api: [], [proof.victim]: options },
    say,
  });
  try {
    const victims = proof.victim === 'worker' ? stage.workers : [stage.api];
    for (const victim of victims) {
      if (!victim.newLog().includes(markOf(proof)))
        throw new Error(`${victim.name} runs as it is shipped: ${proof.module} was not loaded.`);
    }
    const { problems, delivered } = await runFault(stage, proof.fault);
    // A system that does not work at all would prove nothing either.
    const works = delivered > 0 && !problems.some((problem) => /crashed|by itself/.test(problem));
    return { seen: works && problems.some((problem) => proof.expects.test(problem)), problems };
  } finally {
    await stage.stop();
  }
}
