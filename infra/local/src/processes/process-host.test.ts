import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@tocsin/testing';
import { type ChildSpec, createProcessHost, type ProcessHost } from './process-host.js';
import { isAlive } from './process-identity.js';

describe('createProcessHost', () => {
  const directory = mkdtempSync(join(tmpdir(), 'tocsin-host-'));
  let processes: ProcessHost;
  beforeEach(() => {
    processes = createProcessHost();
  });
  afterEach(async () => {
    await processes.killAll();
    processes.close();
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  const shell = (script: string, rest: Partial<ChildSpec> = {}): ChildSpec => ({
    name: 'shell',
    command: '/bin/sh',
    args: ['-c', script],
    env: { PATH: '/usr/bin:/bin' },
    logFile: join(directory, 'shell.log'),
    ...rest,
  });

  test('a child process that ignores SIGTERM is killed together with its process group', async () => {
    const child = await processes.start(shell('trap "" TERM; sleep 60 & echo $!; wait; wait'));
    await until('it has told its child', () => /\d/.test(child.logTail()));
    const grandchild = Number(child.logTail().split('\n').at(-1));
    await child.stop(100);
    expect(await child.exited).toEqual({ code: null, signal: 'SIGKILL' });
    await until('its child has ended', () => !isAlive(grandchild));
  });

  test('a child process receives only the given environment variables', async () => {
    const child = await processes.start(
      shell('env', { env: { ONLY: 'this' }, logFile: join(directory, 'env.log') }),
    );
    await child.exited;
    expect(child.logTail(50)).toContain('ONLY=this');
    expect(child.logTail(50)).not.toContain('HOME=');
  });

  test('the error for a command that cannot be started names the command', async () => {
    await expect(processes.start(shell('', { command: '/no/such/program' }))).rejects.toThrow(
      /\/no\/such\/program/,
    );
  });

  test('a child process runs although its start and its end cannot be recorded', async () => {
    const errors: unknown[] = [];
    const full = new Error('ENOSPC: no space left on device');
    const host = createProcessHost({
      onChange: () => {
        throw full;
      },
      onError: (error) => errors.push(error),
    });
    const child = await host.start(shell('exit 3'));
    expect(await child.exited).toEqual({ code: 3, signal: null });
    await until('both errors are reported', () => errors.length === 2);
    expect(errors).toEqual([full, full]);
    host.close();
  });

  test('after killAll, no further child process can be started', async () => {
    await processes.start(shell('sleep 60'));
    await processes.killAll();
    await expect(processes.start(shell('sleep 60'))).rejects.toThrow(/being stopped/);
  });

  test('if the launcher gets SIGKILL, its children end and its temporary directories are removed', async () => {
    const doomed = mkdtempSync(join(tmpdir(), 'tocsin-doomed-'));
    writeFileSync(join(doomed, 'file'), '');
    const program = `
      const { createProcessHost } = await import(${JSON.stringify(new URL('../../dist/processes/process-host.js', import.meta.url).href)});
      const processes = createProcessHost();
      processes.removeAtEnd(${JSON.stringify(doomed)});
      const child = await processes.start(${JSON.stringify(shell('trap "" TERM; sleep 60'))});
      console.log(child.pid);`;
    const launcher = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const pid = await new Promise<number>((resolve) =>
      launcher.stdout.once('data', (data) => resolve(Number(data))),
    );
    expect(isAlive(pid)).toBe(true);
    launcher.kill('SIGKILL');
    await until('the child has ended', () => !isAlive(pid));
    await until('the directory is gone', () => !existsSync(doomed));
  });
});
