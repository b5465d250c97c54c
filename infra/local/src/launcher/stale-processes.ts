import { readFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RecordedChild, signalQuietly } from '../processes/process-host.js';
import { isSameProcessAlive } from '../processes/process-identity.js';
import { writePrivately } from './state.js';

const graceMs = 12_000;

export function recordChildren(file: string, children: readonly RecordedChild[]): void {
  if (children.length === 0) rmSync(file, { force: true });
  else writePrivately(file, JSON.stringify(children));
}

/**
 * Ends what an earlier launcher left when it and its reaper were both killed. A process is only touched when it is
 * certainly the recorded one. Gives back the names of those that had to be ended.
 */
export async function endStaleProcesses(file: string): Promise<string[]> {
  const stale = readRecord(file).filter(isSameProcessAlive);
  for (const { pid } of stale) signalQuietly(pid, 'SIGTERM');
  const deadline = Date.now() + graceMs;
  while (stale.some(isSameProcessAlive) && Date.now() < deadline) {
    await sleep(100);
  }
  for (const child of stale) if (isSameProcessAlive(child)) signalQuietly(-child.pid, 'SIGKILL');
  rmSync(file, { force: true });
  return stale.map(({ name }) => name);
}

function readRecord(file: string): RecordedChild[] {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as RecordedChild[];
  } catch {
    // None, or cut off by a crash.
    return [];
  }
}
