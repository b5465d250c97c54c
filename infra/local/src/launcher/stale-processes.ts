import { readFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RecordedChild, signalQuietly } from '../processes/process-host.js';
import { isSameProcessAlive } from '../processes/process-identity.js';
import { writePrivately } from '../write-privately.js';

const graceMs = 12_000;

export function recordChildren(file: string, children: readonly RecordedChild[]): void {
  if (children.length === 0) rmSync(file, { force: true });
  else writePrivately(file, JSON.stringify(children));
}

/**
 * Ends the processes of an earlier launcher that was killed. Normally its reaper (`reaper.ts`) ends them, but the
 * reaper may have been killed too. A process is ended only if its start time equals the recorded one. Returns the names
 * of the processes that were ended.
 */
export async function endStaleProcesses(file: string): Promise<string[]> {
  const stale = readRecord(file).filter(isSameProcessAlive);
  for (const { pid } of stale) signalQuietly(pid, 'SIGTERM');
  const deadlineMs = Date.now() + graceMs;
  while (stale.some(isSameProcessAlive) && Date.now() < deadlineMs) {
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
    // The file is missing, or a crash has truncated it.
    return [];
  }
}
