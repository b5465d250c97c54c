import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';

export interface Machine {
  cpu: string;
  cores: number;
  memoryGb: number;
  kernel: string;
  system: string;
  node: string;
  /** Commit of the measured code, followed by `-dirty` if the working tree has changes. */
  commit: string;
}

export function describeMachine(): Machine {
  const [first] = cpus();
  return {
    cpu: first?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    system: readOr('/etc/os-release', /^PRETTY_NAME="(.*)"$/m),
    node: process.version,
    commit: runOr('git', ['describe', '--always', '--dirty', '--abbrev=12']),
  };
}

function readOr(file: string, pattern: RegExp): string {
  try {
    return pattern.exec(readFileSync(file, 'utf8'))?.[1] ?? 'unknown';
  } catch {
    return 'unknown';
  }
}

function runOr(command: string, args: string[]): string {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return 'unknown';
  }
}
