import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { until } from '@tocsin/testing';
import type { StackFile } from '../../src/launcher/stack-file.js';
import { isPortFree } from '../../src/processes/free-port.js';

export interface Running {
  process: ChildProcess;
  exited: Promise<number | null>;
  exitCode(): number | null;
  output(): string;
}

/** Starts a script of this package in a separate process. */
export function runScript(script: string, args: string[], env: NodeJS.ProcessEnv): Running {
  const { npm_lifecycle_event: _, ...inherited } = process.env;
  const child = spawn(process.execPath, [script, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...inherited, ...env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  return {
    process: child,
    exited: new Promise((resolve) => child.once('close', resolve)),
    exitCode: () => child.exitCode,
    output: () => output,
  };
}

/** Checks that each process id has one health URL and one metrics URL, and that each URL responds. */
export async function expectUrls({ pids, health_urls, metrics_urls }: StackFile): Promise<void> {
  for (const name of ['webhook-api', 'engine-auth', 'delivery-worker'] as const) {
    const count = [pids[name]].flat().length;
    expect([name, new Set(health_urls[name]).size, new Set(metrics_urls[name]).size]).toEqual([
      name,
      count,
      count,
    ]);
    for (const url of health_urls[name])
      for (const path of ['/livez', '/readyz']) expect((await fetch(`${url}${path}`)).status).toBe(200);
    for (const url of metrics_urls[name]) {
      expect(url).toMatch(/\/metrics$/);
      expect(await (await fetch(url)).text()).toContain(`service="${name}"`);
    }
  }
}

export function pidsOf({ pids }: StackFile): number[] {
  return Object.values(pids).flat();
}

export function isRunning(pid: number): boolean {
  return existsSync(`/proc/${pid}`);
}

/** Returns the ids of running processes whose command line contains `directory`. Zombies have no command line. */
export function findProcessesNaming(directory: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      } catch {
        return '';
      }
    })
    .filter((commandLine) => commandLine.includes(directory));
}

export async function findFreeBlock(): Promise<number> {
  for (;;) {
    const base = 16_000 + 50 * Math.floor(Math.random() * 300);
    const ports = Array.from({ length: 24 }, (_, index) => base + index);
    if ((await Promise.all(ports.map(isPortFree))).every(Boolean)) return base;
  }
}

/**
 * Waits until the check succeeds. Errors are ignored, because a file can be incomplete or a service can still be
 * starting.
 */
export function eventually(what: string, check: () => boolean | Promise<boolean>): Promise<boolean> {
  const tryToCheck = async () => check();
  return until(what, () => tryToCheck().catch(() => false), { timeoutMs: 60_000, intervalMs: 100 });
}
