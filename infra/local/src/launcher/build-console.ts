import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceRunner } from './services.js';

/** Files and folders from which the console is built. */
export const consoleSources = [
  'services/console/build',
  'services/console/index.html',
  'services/console/package.json',
  'services/console/public',
  'services/console/src',
  'services/console/vite.config.ts',
  'packages/client/src',
  'packages/contracts/src',
  'packages/identity/src',
  'packages/kit/src',
  'packages/template/src',
  'docs/templates',
  'package-lock.json',
];

/**
 * Builds the console if it is missing or older than its sources. The API can already run meanwhile: it serves the
 * console as soon as the build is complete.
 */
export async function buildConsole({ processes, repository, logs }: ServiceRunner): Promise<void> {
  const built = modifiedMs(join(repository, 'services/console/dist/site/index.html'));
  if (!existsSync(join(repository, 'services/console/package.json')) || built >= newestMs(repository)) return;
  const { PATH, HOME } = process.env;
  const child = await processes.start({
    name: 'console',
    command: 'npm',
    args: ['run', 'build', '--workspace', 'services/console'],
    env: { PATH, HOME },
    cwd: repository,
    logFile: join(logs, 'console.log'),
  });
  const { code, signal } = await child.exited;
  if (code === 0) return;
  throw new Error(
    `the build ${signal ?? `ended with code ${code}`}; log: ${child.logFile}\n${child.logTail()}`,
  );
}

function newestMs(repository: string): number {
  return Math.max(...consoleSources.map((source) => newestIn(join(repository, source))));
}

function newestIn(path: string): number {
  if (!existsSync(path)) return 0;
  if (!statSync(path).isDirectory()) return modifiedMs(path);
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return Math.max(0, ...files.map((file) => modifiedMs(join(path, file))));
}

/** Returns the modification time in Unix milliseconds, or 0 if the file does not exist. */
function modifiedMs(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
