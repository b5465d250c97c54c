import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { createSecretBox, parseSecretKeys, type SecretBox } from '@tocsin/database';
import { type Destination, startDestination } from '../destination/start-destination.js';
import { type Load, startLoad } from '../load/start-load.js';
import type { Service } from './start-service.js';
import { type Stack, type StackOptions, startStack } from './start-stack.js';
import { startWorker, type WorkerOptions } from './start-worker.js';

/** What every scenario works with. */
export interface Bench {
  stack: Stack;
  destination: Destination;
  load: Load;
  secrets: SecretBox;
  secretsKeys: string;
  /** A number for each run, so that its alerts are told from all others. */
  nextRun(): number;
  /** Runs `work` with so many workers, which are gone afterwards. */
  withWorkers<T>(count: number, work: (workers: Service[]) => Promise<T>, tuning?: WorkerTuning): Promise<T>;
  say(line: string): void;
  stop(): Promise<void>;
}

type WorkerTuning = Partial<Pick<WorkerOptions, 'nodeOptions' | 'env'>>;

/** Where the workers' profiles of a profiling run go; Chrome's developer tools read them. */
const profiles = fileURLToPath(new URL('../../results/profiles/', import.meta.url));

export async function createBench(options: StackOptions): Promise<Bench> {
  const { say } = options;
  const stack = await startStack(options);
  const destination = await startDestination();
  const load = await startLoad(stack.amqpUrl);
  const secretsKeys = `bench:${randomBytes(32).toString('base64')}`;
  const profiling = options.profile ? ['--cpu-prof', `--cpu-prof-dir=${profiles}`] : [];
  let run = 0;
  return {
    stack,
    destination,
    load,
    secrets: createSecretBox(parseSecretKeys(secretsKeys)),
    secretsKeys,
    nextRun() {
      run += 1;
      return run;
    },
    async withWorkers(count, work, { nodeOptions = [], env = {} } = {}) {
      const starting = Array.from({ length: count }, (_, index) =>
        startWorker(stack, {
          name: `worker-${index + 1}`,
          secretsKeys,
          nodeOptions: [...profiling, ...nodeOptions],
          env,
        }),
      );
      const workers = await Promise.all(starting);
      try {
        return await work(workers);
      } finally {
        await Promise.all(workers.map((worker) => worker.stop()));
      }
    },
    say,
    async stop() {
      await load.stop();
      await destination.stop();
      await stack.stop();
    },
  };
}
