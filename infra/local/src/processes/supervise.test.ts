import { until } from '@tocsin/testing';
import type { Child, ChildExit } from './process-host.js';
import { supervise } from './supervise.js';

describe('supervise', () => {
  test('a process that exits is restarted, and the restart is reported', async () => {
    const { started, start } = createFakeProcesses();
    const said: string[] = [];
    let restarts = 0;
    const stopping = new AbortController();
    const part = await supervise({
      name: 'worker',
      start,
      signal: stopping.signal,
      say: (message) => said.push(message),
      onRestart: () => {
        restarts += 1;
      },
    });
    expect(part.pid()).toBe(1);
    started[0]?.die({ code: null, signal: 'SIGKILL' });
    await until('it is started again', () => restarts === 1);
    expect(part.pid()).toBe(2);
    expect(said).toEqual([expect.stringContaining('worker was ended by SIGKILL')]);
    stopping.abort();
    await part.stop();
    expect(started).toHaveLength(2);
  });

  test('a restart that cannot be recorded is reported, and later exits are handled', async () => {
    const { started, start } = createFakeProcesses();
    const said: string[] = [];
    const stopping = new AbortController();
    const part = await supervise({
      name: 'worker',
      start,
      signal: stopping.signal,
      say: (message) => said.push(message),
      onRestart: () => {
        throw new Error('ENOSPC: no space left on device');
      },
    });
    started[0]?.die({ code: 1, signal: null });
    await until('it is started again', () => said.some((message) => message.includes('ENOSPC')));
    started[1]?.die({ code: 1, signal: null });
    await until('it is started again', () => part.pid() === 3);
    stopping.abort();
    await part.stop();
  });

  test('a failed restart is retried', async () => {
    const { started, start } = createFakeProcesses();
    const stopping = new AbortController();
    let failures = 1;
    let restarted = false;
    const part = await supervise({
      name: 'worker',
      start: async () => {
        if (started.length === 1 && failures-- > 0) throw new Error('no memory');
        return start();
      },
      signal: stopping.signal,
      say: () => {},
      onRestart: () => {
        restarted = true;
      },
    });
    started[0]?.die({ code: 1, signal: null });
    await until('it is started again', () => restarted);
    stopping.abort();
    await part.stop();
  });

  test('a process that exits is not restarted after a stop request', async () => {
    const { started, start } = createFakeProcesses();
    const stopping = new AbortController();
    const part = await supervise({
      name: 'worker',
      start,
      signal: stopping.signal,
      say: () => {},
      onRestart: () => {},
    });
    started[0]?.die({ code: 1, signal: null });
    await Promise.resolve();
    stopping.abort();
    await part.stop();
    expect(started).toHaveLength(1);
  });

  test('the supervisor fails if the first start fails', async () => {
    const { signal } = new AbortController();
    const start = () => Promise.reject(new Error('no such file'));
    await expect(
      supervise({ name: 'worker', start, signal, say: () => {}, onRestart: () => {} }),
    ).rejects.toThrow('no such file');
  });
});

interface FakeProcess extends Child {
  die(exit: ChildExit): void;
}

function createFakeProcesses() {
  const started: FakeProcess[] = [];
  const start = async (): Promise<Child> => {
    let die: (exit: ChildExit) => void = () => {};
    const exited = new Promise<ChildExit>((resolve) => {
      die = resolve;
    });
    const child: FakeProcess = {
      name: 'fake',
      pid: started.length + 1,
      logFile: 'fake.log',
      exited,
      die,
      stop: async () => die({ code: 0, signal: null }),
      logTail: () => '',
    };
    started.push(child);
    return child;
  };
  return { started, start };
}
