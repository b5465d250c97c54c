import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createProcessHost } from '../processes/process-host.js';
import { startTestServers } from './start-test-servers.js';
import { rememberTestParts } from './test-parts.js';

/** The members of jest's global configuration that this setup reads. */
interface JestGlobalConfig {
  rootDir: string;
  testPathPatterns: {
    toExecutor(options: { rootDir: string }): { isSet(): boolean; isMatch(path: string): boolean };
  };
}

/**
 * Starts the test servers for one run of jest and sets their addresses as TOCSIN_TEST_* variables. No servers are
 * started if only unit tests run (files in src/).
 */
export default async function globalSetup(config: JestGlobalConfig): Promise<void> {
  if (!hasIntegrationTests(config)) return;
  const processes = createProcessHost();
  const { directory, env } = await startTestServers(processes);
  rememberTestParts({ processes, directory });
  Object.assign(process.env, env);
}

function hasIntegrationTests({ rootDir, testPathPatterns }: JestGlobalConfig): boolean {
  const patterns = testPathPatterns.toExecutor({ rootDir });
  if (!patterns.isSet()) return true;
  return ['packages', 'services', 'infra']
    .flatMap((root) => readdirSync(join(rootDir, root)).map((name) => join(rootDir, root, name, 'test')))
    .flatMap((tests) => listFiles(tests))
    .some((file) => patterns.isMatch(file));
}

function listFiles(directory: string): string[] {
  try {
    return readdirSync(directory, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => join(directory, name));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}
