import { ConfigError, type EnvReader, messageOf, readDatabaseUrl, readEnv } from '@tocsin/kit';
import { createDatabase, type Database } from './connection.js';

export interface Command<Settings extends object> {
  /** Subject of the sentence that reports a failure, for example "The key rotation". */
  name: string;
  /** Name of the command's connection in `pg_stat_activity`. */
  applicationName: string;
  env: NodeJS.ProcessEnv;
  /** Number of connections. Default: 1. */
  poolSize?: number;
  /** Reads the environment variables that the command needs in addition to `DATABASE_URL`. */
  readSettings(read: EnvReader): Settings;
  /** Resolves to the lines to print at the end. `print` prints a line immediately. */
  run(database: Database, settings: Settings, print: (line: string) => void): Promise<string[]>;
}

/** Runs a command for operators, without a statement timeout. A failure sets the exit code to 1. */
export async function runCommand<Settings extends object>(command: Command<Settings>): Promise<void> {
  const { name, applicationName, env, poolSize = 1, readSettings, run } = command;
  let database: Database | undefined;
  try {
    const { url, settings } = readEnv(env, (read) => ({
      url: readDatabaseUrl(read),
      settings: readSettings(read),
    }));
    database = createDatabase({ url: url.reveal(), applicationName, poolSize, statementTimeoutMs: 0 });
    const print = (line: string) => void process.stdout.write(`${line}\n`);
    for (const line of await run(database, settings as Settings, print)) print(line);
  } catch (error) {
    process.stderr.write(`${describe(name, error)}\n`);
    process.exitCode = 1;
  } finally {
    await database?.close();
  }
}

function describe(name: string, error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  return `${name} failed: ${messageOf(error)}`;
}
