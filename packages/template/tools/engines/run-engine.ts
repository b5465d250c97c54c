import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { CaseResult } from '../cases/case-runner.js';
import type { EngineName } from './engines.js';

const engineProcess = fileURLToPath(new URL('./engine-process.js', import.meta.url));
const caseTimeoutMs = 5_000;

export interface EngineRun {
  readonly version: string;
  /** Results in the order of the lines. Null if the template ended the process or took longer than 5 s. */
  readonly results: readonly (CaseResult | null)[];
}

/**
 * Runs cases in a child process, because some templates crash the engine or never end. After such a case, a new process
 * runs the remaining cases.
 */
export async function runEngine(name: EngineName, lines: readonly string[]): Promise<EngineRun> {
  const results: (CaseResult | null)[] = [];
  let { child, version } = await startEngine(name);
  for (const line of lines) {
    child.send(line);
    const result = await resultOf(child);
    results.push(result);
    if (result !== null) continue;
    child.kill('SIGKILL');
    ({ child, version } = await startEngine(name));
  }
  child.kill();
  return { version, results };
}

async function startEngine(name: EngineName): Promise<{ child: ChildProcess; version: string }> {
  const child = fork(engineProcess, [name], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  const [version] = (await once(child, 'message')) as [string];
  return { child, version };
}

async function resultOf(child: ChildProcess): Promise<CaseResult | null> {
  const settled = new AbortController();
  const message = once(child, 'message', { signal: settled.signal });
  const exit = once(child, 'exit', { signal: settled.signal });
  const timer = setTimeout(() => child.kill('SIGKILL'), caseTimeoutMs);
  try {
    const [result] = await Promise.race([message, exit.then((): [null] => [null])]);
    return result as CaseResult | null;
  } finally {
    clearTimeout(timer);
    settled.abort();
    await Promise.allSettled([message, exit]);
  }
}
