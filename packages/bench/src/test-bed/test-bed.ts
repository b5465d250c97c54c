import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  createDatabase,
  createSecretBox,
  type Database,
  migrateDatabase,
  parseSecretKeys,
  type SecretBox,
} from '@tocsin/database';
import { createProcessHost } from '@tocsin/local';
import { type Destination, startDestination } from '../destination/start-destination.js';
import { type LoadGenerator, startLoadGenerator } from '../load/start-load-generator.js';
import { type Servers, type ServersOptions, startBrokerServer, startDatabaseServer } from './servers.js';
import { type ServiceHost, type ServiceOptions, type ServiceProcess, startService } from './services.js';

/**
 * PostgreSQL, RabbitMQ, a destination and a load generator on free ports. Each suite also starts the services that it
 * needs.
 */
export interface TestBed extends ServiceHost {
  /** Client of the database. It connects without a proxy, under the application name `suiteApplicationName`. */
  database: Database;
  secretBox: SecretBox;
  destination: Destination;
  generator: LoadGenerator;
  /** Node.js options for measured services. They enable CPU profiles if the test bed has the option `profile`. */
  nodeOptions: readonly string[];
  /** Returns the number of a new run. Alert ids contain it, so that each request is counted for the correct run. */
  nextRun(): number;
  startWorkers(count: number, options?: WorkerOptions): Promise<ServiceProcess[]>;
  print(line: string): void;
  stop(): Promise<void>;
  /**
   * Kills all processes. With hanging destinations, `stop` would wait for their responses, so `kill` is needed.
   */
  kill(): Promise<void>;
}

type WorkerOptions = Pick<ServiceOptions, 'env' | 'nodeOptions'>;

export interface TestBedOptions {
  print(line: string): void;
  /**
   * True to write CPU profiles of the workers and of the API, and to count statements in PostgreSQL. Both reduce the
   * throughput.
   */
  profile?: boolean;
  /** Starts the database and the broker. Default: one server of each. */
  startServers?: (options: ServersOptions) => Promise<Servers>;
}

export const suiteApplicationName = 'tocsin-bench';

/** Directory for CPU profiles. The developer tools of Chrome can open them. */
const profileDirectory = fileURLToPath(new URL('../../results/profiles/', import.meta.url));
const longStatementMs = 600_000;

export async function createTestBed({
  print,
  profile = false,
  startServers = (options) => startSingleServers(options, { countStatements: profile }),
}: TestBedOptions): Promise<TestBed> {
  const directory = mkdtempSync(join(tmpdir(), 'tocsin-bench-'));
  // If this process runs as root, PostgreSQL runs as another user, who needs access to this directory.
  chmodSync(directory, 0o711);
  const processes = createProcessHost();
  processes.removeAtEnd(directory);
  const logFile = (name: string) => join(directory, 'logs', `${name}.log`);
  const { postgres, rabbitmq } = await startServers({ processes, directory, logFile, print });
  const database = createDatabase({
    url: postgres.url,
    applicationName: suiteApplicationName,
    statementTimeoutMs: longStatementMs,
    poolSize: 4,
  });
  await migrateDatabase(database);
  const destination = await startDestination();
  const generator = await startLoadGenerator(rabbitmq.url);
  const secretsKeys = `bench:${randomBytes(32).toString('base64')}`;
  const profiling = profile ? ['--cpu-prof', `--cpu-prof-dir=${profileDirectory}`] : [];
  let run = 0;

  const testBed: TestBed = {
    processes,
    directory,
    logFile,
    postgres,
    rabbitmq,
    database,
    secretBox: createSecretBox(parseSecretKeys(secretsKeys)),
    secretsKeys,
    destination,
    generator,
    nodeOptions: profiling,
    nextRun() {
      run += 1;
      return run;
    },
    startWorkers: (count, { env = {}, nodeOptions = [] } = {}) =>
      Promise.all(
        Array.from({ length: count }, (_, index) =>
          startService(testBed, {
            kind: 'delivery-worker',
            name: `worker-${index + 1}`,
            env,
            nodeOptions: [...profiling, ...nodeOptions],
          }),
        ),
      ),
    print,
    async stop() {
      await Promise.all([generator.stop(), destination.stop(), database.close()]);
      await rabbitmq.stop();
      await postgres.stop();
      processes.close();
    },
    async kill() {
      await Promise.all([generator.stop(), destination.stop(), database.close()]);
      await processes.killAll();
      processes.close();
    },
  };
  return testBed;
}

async function startSingleServers(
  options: ServersOptions,
  { countStatements }: { countStatements: boolean },
): Promise<Servers> {
  const [postgres, rabbitmq] = await Promise.all([
    startDatabaseServer(options, { countStatements }),
    startBrokerServer(options),
  ]);
  return { postgres, rabbitmq };
}

/** Starts `count` workers, runs `work`, and stops the workers. */
export async function withWorkers<T>(
  testBed: TestBed,
  count: number,
  work: (workers: ServiceProcess[]) => Promise<T>,
  options: WorkerOptions = {},
): Promise<T> {
  const workers = await testBed.startWorkers(count, options);
  try {
    return await work(workers);
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
  }
}
