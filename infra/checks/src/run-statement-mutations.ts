import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createProcessHost, startTestServers } from '@tocsin/local';
import {
  mutationVariable,
  type StatementMutation,
  statementMutations,
} from './mutation/statement-mutations.js';

const usage = `npm run test:statements -- [options]
  --only TEXT,…   only mutations whose name contains one of these texts
  --list          print the mutations and run none`;

const repository = fileURLToPath(new URL('../../../', import.meta.url));
/**
 * The time limit of a test run, in milliseconds, is this value multiplied by the number of test files. Most files take
 * a few seconds, but a mutation can make a test hang.
 */
const timeoutMs = 120_000;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    list: { type: 'boolean', default: false },
  },
});
const chosen = statementMutations.filter(({ name }) =>
  values.only.split(',').some((text) => name.includes(text)),
);

if (values.help) console.log(usage);
else if (values.list) for (const { name } of chosen) console.log(name);
else process.exitCode = (await runMutations()) ? 0 : 1;

/**
 * Applies the mutations one after the other. Returns true if each mutation makes at least one test fail.
 * @throws Error if tests fail without a mutation
 */
async function runMutations(): Promise<boolean> {
  const processes = createProcessHost();
  const { env } = await startTestServers(processes);
  try {
    const tests = [...new Set(chosen.flatMap((mutation) => mutation.tests))];
    const failing = (await pass(tests, env)) ? [] : await failingAlone(tests, env);
    if (failing.length > 0) throw new Error(`Tests fail without a mutation: ${failing.join(', ')}`);
    const survivors: StatementMutation[] = [];
    for (const mutation of chosen) {
      const survives = await pass(mutation.tests, { ...env, [mutationVariable]: mutation.name });
      if (survives) survivors.push(mutation);
      console.log(`${survives ? 'FAILED not caught' : 'ok caught'}: ${mutation.name}`);
    }
    console.log(`${chosen.length - survivors.length} of ${chosen.length} mutations are caught.`);
    return survivors.length === 0;
  } finally {
    await processes.killAll();
    processes.close();
  }
}

/**
 * Runs the test files one after the other and returns the failing ones. A test that fails only in the same Jest process
 * as other tests passes here.
 */
async function failingAlone(tests: string[], env: NodeJS.ProcessEnv): Promise<string[]> {
  const failing: string[] = [];
  for (const test of tests) if (!(await pass([test], env))) failing.push(test);
  return failing;
}

/** Runs test files. Returns true if all their tests pass within the timeout. */
async function pass(tests: string[], env: NodeJS.ProcessEnv): Promise<boolean> {
  const jest = ['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js'];
  const options = ['--config', 'infra/checks/statements.jest.config.ts', '--runInBand', '--silent', '--bail'];
  const child = spawn(process.execPath, [...jest, ...options, '--runTestsByPath', ...tests], {
    cwd: repository,
    env: { ...process.env, ...env },
    stdio: 'ignore',
    timeout: tests.length * timeoutMs,
  });
  const [code] = await once(child, 'exit');
  return code === 0;
}
