import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identifyProcess } from '../processes/process-identity.js';
import { acquireLock } from './lock.js';

describe('acquireLock', () => {
  const directory = mkdtempSync(join(tmpdir(), 'tocsin-lock-'));
  const file = join(directory, 'launcher.lock');
  afterEach(() => rmSync(file, { force: true }));
  afterAll(() => rmSync(directory, { recursive: true }));

  it('a second launcher is refused and told about the first', () => {
    const release = acquireLock(file, 'http://127.0.0.1:8700');
    expect(() => acquireLock(file, 'http://127.0.0.1:9700')).toThrow(
      `running already: http://127.0.0.1:8700 (process ${process.pid})`,
    );
    release();
    expect(existsSync(file)).toBe(false);
  });

  it('a lock of a launcher that has exited is taken over', () => {
    writeFileSync(file, JSON.stringify({ pid: 2 ** 22 + 1, startedAt: 'boot/1', apiUrl: 'http://old' }));
    expect(() => acquireLock(file, 'http://new')).not.toThrow();
  });

  it('a lock whose process id was reused is taken over', () => {
    const { pid } = identifyProcess(process.pid);
    writeFileSync(file, JSON.stringify({ pid, startedAt: 'another boot/1', apiUrl: 'http://old' }));
    expect(() => acquireLock(file, 'http://new')).not.toThrow();
  });

  it('a truncated lock file is taken over', () => {
    writeFileSync(file, '{"pid": 1');
    expect(() => acquireLock(file, 'http://new')).not.toThrow();
  });
});
