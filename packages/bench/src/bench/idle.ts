import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findFreePorts } from '@tocsin/local';
import { readExactUsage } from '../measure/process-usage.js';
import type { TestBed } from '../test-bed/test-bed.js';

export interface IdleResult {
  seconds: number;
  /** Processes of the stack other than the servers, for example the services and the launcher. */
  own: IdleProcess[];
  /** PostgreSQL, RabbitMQ and its port mapper `epmd`, each with all of its processes. */
  servers: IdleProcess[];
}

interface IdleProcess {
  name: string;
  /** CPU time in percent of one core. */
  cpuPercent: number;
  /** Memory in megabytes (PSS: a page that n processes share counts as 1/n for each). */
  memoryMb: number;
}

const launcher = fileURLToPath(import.meta.resolve('../../../../infra/local/dist/start.js'));
const servers = new Set(['postgres', 'rabbitmq', 'epmd']);
const startTimeoutMs = 300_000;
/**
 * Wait between the start and the measurement, in milliseconds. Periodic jobs finish their first runs in this time. If
 * the measurement is shorter, the wait is only as long as the measurement.
 */
const settleMs = 20_000;

/** Measures CPU and memory of `npm start -- --no-sample` while nothing is published. */
export async function measureIdle(testBed: TestBed, { seconds }: { seconds: number }): Promise<IdleResult> {
  const state = join(testBed.directory, 'idle');
  const [portBase = 0] = await findFreePorts(1);
  const stack = await testBed.processes.start({
    name: 'stack',
    command: process.execPath,
    args: [launcher, '--no-sample'],
    env: { PATH: process.env.PATH, TOCSIN_STATE: state, PORT_BASE: String(portBase) },
    logFile: testBed.logFile('stack'),
  });
  try {
    await waitForFile(join(state, 'stack.json'), () => stack.logTail());
    await sleep(Math.min(settleMs, seconds * 1_000));
    const children: { name: string; pid: number }[] = JSON.parse(
      readFileSync(join(state, 'children.json'), 'utf8'),
    );
    const isServer = ({ name }: { name: string }) => servers.has(name);
    const own = [{ name: 'launcher', pid: stack.pid }, ...children.filter((child) => !isServer(child))];
    const [ownUsage, serverUsage] = await Promise.all([
      measure(own, { seconds, withDescendants: false }),
      measure(children.filter(isServer), { seconds, withDescendants: true }),
    ]);
    const total = totalOf(ownUsage);
    testBed.print(
      `  own processes: ${total.cpuPercent.toFixed(1)} % of a core, ${total.memoryMb.toFixed(0)} MB`,
    );
    return { seconds, own: ownUsage, servers: serverUsage };
  } finally {
    await stack.stop();
  }
}

/** Adds up the CPU time and the memory of several processes. */
export function totalOf(processes: readonly IdleProcess[]): Omit<IdleProcess, 'name'> {
  const sum = (value: (process: IdleProcess) => number) =>
    processes.reduce((total, process) => total + value(process), 0);
  return { cpuPercent: sum(({ cpuPercent }) => cpuPercent), memoryMb: sum(({ memoryMb }) => memoryMb) };
}

async function measure(
  processes: { name: string; pid: number }[],
  { seconds, withDescendants }: { seconds: number; withDescendants: boolean },
): Promise<IdleProcess[]> {
  const before = processes.map(({ pid }) => readExactUsage(pid, { withDescendants }).cpuMs);
  await sleep(seconds * 1_000);
  return processes.map(({ name, pid }, index) => {
    const { cpuMs, pssBytes } = readExactUsage(pid, { withDescendants });
    const cpuPercent = (cpuMs - before[index]!) / seconds / 10;
    return { name, cpuPercent, memoryMb: pssBytes / 1e6 };
  });
}

async function waitForFile(file: string, describe: () => string): Promise<void> {
  const deadlineMs = performance.now() + startTimeoutMs;
  while (!existsSync(file)) {
    if (performance.now() > deadlineMs) throw new Error(`The stack did not start:\n${describe()}`);
    await sleep(100);
  }
}
