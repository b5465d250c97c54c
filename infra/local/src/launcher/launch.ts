import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf } from '@tocsin/kit';
import { acquireLock } from './lock.js';
import { type LauncherOptions, readOptions } from './options.js';
import { layOutPorts } from './ports.js';
import { createProgress, type Progress } from './progress.js';
import { describeReady, describeSample } from './report.js';
import { runSample } from './sample.js';
import { createStack, type Stack } from './stack.js';
import type { StackFile } from './stack-file.js';
import { adviceFor, prepareState, type StatePaths, statePaths } from './state.js';
import { untilAskedToStop } from './stop-request.js';

/** Root folder of the checkout. */
const repository = fileURLToPath(new URL('../../../../', import.meta.url));

/** Returns the state directory: TOCSIN_STATE, or `.tocsin/` in the checkout. */
export function findState(env: NodeJS.ProcessEnv): StatePaths {
  return statePaths(env.TOCSIN_STATE || join(repository, '.tocsin'));
}

/** Runs `npm start`. Resolves with the exit code. */
export async function launch(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const progress = createProgress(console.log);
  const paths = findState(env);
  try {
    const options = readOptions(args, env);
    prepareState(paths);
    const apiUrl = `http://127.0.0.1:${layOutPorts(options.portBase, 0).webhookApi}`;
    const lock = await acquireLock(paths.lock, apiUrl);
    try {
      await runUntilStopped({ options, paths, env, progress });
      return 0;
    } finally {
      lock.release();
    }
  } catch (error) {
    progress.say(`\nTocsin did not start: ${messageOf(error)}${adviceFor(error, paths)}`);
    return 1;
  }
}

interface Launch {
  options: LauncherOptions;
  paths: StatePaths;
  env: NodeJS.ProcessEnv;
  progress: Progress;
}

async function runUntilStopped({ options, paths, env, progress }: Launch): Promise<void> {
  const stack = createStack({ ...options, paths, env, progress, repository: repository });
  const asked = untilAskedToStop({ env, onSecondRequest: stack.kill });
  progress.say(`Tocsin is starting. State and logs: ${paths.root}`);
  try {
    // A stop request during the start interrupts the start.
    await Promise.race([bringUp(stack, { options, paths, env, progress }), asked]);
    progress.say(`\n${await asked}: stopping everything`);
  } finally {
    await stack.stop();
  }
  progress.say('Stopped.');
}

async function bringUp(stack: Stack, { options, paths, env, progress }: Launch): Promise<void> {
  const startedAtMs = Date.now();
  const facts = await stack.start();
  if (options.sample) await showSample(facts, progress);
  stack.publish();
  progress.say(
    describeReady({ facts, env, stackFile: paths.stackFile, seconds: (Date.now() - startedAtMs) / 1000 }),
  );
}

/**
 * Publishes the sample alert and prints its delivery. A failure is only reported and does not stop the stack, because
 * the running stack is needed to find the reason.
 */
async function showSample(facts: StackFile, progress: Progress): Promise<void> {
  if (facts.clients.admin === undefined) {
    progress.say(
      '  The sample is skipped: it needs the clients of the development provider, and OIDC_ISSUER is set.',
    );
    return;
  }
  try {
    progress.say(describeSample(await progress.track('sample alert', () => runSample(facts)), facts));
  } catch (error) {
    progress.say(`  The sample failed: ${messageOf(error)}`);
  }
}
