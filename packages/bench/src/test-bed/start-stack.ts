import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, type Database, migrateDatabase } from '@tocsin/database';
import {
  createProcessHost,
  ensureRabbitmqInstalled,
  findFreePorts,
  startPostgres,
  startRabbitmq,
} from '@tocsin/local';
import { enableStatementCounts } from './statement-counts-reader.js';

type ProcessHost = ReturnType<typeof createProcessHost>;

/** A database and a broker of the benchmark's own, on free ports and in a directory that goes with it. */
export interface Stack {
  processes: ProcessHost;
  directory: string;
  databaseUrl: string;
  amqpUrl: string;
  database: Database;
  pids: { postgres: number; rabbitmq: number };
  logOf(name: string): string;
  stop(): Promise<void>;
}

export interface StackOptions {
  say(line: string): void;
  /** PostgreSQL counts what each statement costs (`pg_stat_statements`), which costs something itself. */
  profile: boolean;
}

/** Durable as in production: `fsync` and `synchronous_commit` are on. */
export async function startStack({ say, profile }: StackOptions): Promise<Stack> {
  const directory = mkdtempSync(join(tmpdir(), 'tocsin-bench-'));
  // PostgreSQL runs as a user of its own when we are root.
  chmodSync(directory, 0o711);
  const processes = createProcessHost();
  processes.removeAtEnd(directory);
  const logOf = (name: string) => join(directory, 'logs', `${name}.log`);
  const [port = 0, amqp = 0, epmd = 0, distribution = 0] = await findFreePorts(4);
  const installed = ensureRabbitmqInstalled(logOf('apt'), say);
  const postgresOptions = {
    processes,
    directory: join(directory, 'postgres'),
    logFile: logOf('postgres'),
    port,
    durable: true,
    database: 'tocsin',
  };
  const [postgres, rabbitmq] = await Promise.all([
    profile ? startCountingPostgres(postgresOptions) : startPostgres(postgresOptions),
    startRabbitmq({
      processes,
      directory: join(directory, 'rabbitmq'),
      logFile: logOf('rabbitmq'),
      ports: { amqp, epmd, distribution },
      installed,
    }),
  ]);
  const database = createDatabase({
    url: postgres.url,
    applicationName: 'tocsin-bench',
    statementTimeoutMs: 600_000,
    poolSize: 4,
  });
  await migrateDatabase(database);
  return {
    processes,
    directory,
    databaseUrl: postgres.url,
    amqpUrl: rabbitmq.url,
    database,
    pids: { postgres: postgres.child.pid, rabbitmq: rabbitmq.child.pid },
    logOf,
    async stop() {
      await database.close();
      await rabbitmq.child.stop();
      await postgres.child.stop();
      processes.close();
    },
  };
}

/** The library must be there when the server starts, so it is started twice. */
async function startCountingPostgres(options: Parameters<typeof startPostgres>[0]) {
  const first = await startPostgres(options);
  await enableStatementCounts(first.url);
  await first.child.stop();
  return startPostgres(options);
}
