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

  it('is held by one launcher at a time, which is named to the second', () => {
    const release = acquireLock(file, 'http://127.0.0.1:8700');
    expect(() => acquireLock(file, 'http://127.0.0.1:9700')).toThrow(
      `running already: http://127.0.0.1:8700 (process ${process.pid})`,
    );
    release();
    expect(existsSync(file)).toBe(false);
  });

  it('is taken over from a launcher that is gone', () => {
    writeFileSync(file, JSON.stringify({ pid: 2 ** 22 + 1, startedAt: 'boot/1', apiUrl: 'http://old' }));
    expect(() => acquireLock(file, 'http://new')).not.toThrow();
  });

  it('is taken over when its process id now belongs to another process', () => {
    const { pid } = identifyProcess(process.pid);
    writeFileSync(file, JSON.stringify({ pid, startedAt: 'another boot/1', apiUrl: 'http://old' }));
    expect(() => acquireLock(file, 'http://new')).not.toThrow();
  });

  it('is taken over when a crash cut its file off', () => {
    writeFileSync(file, '{"pid": 1');
    expect(() => acquireLock(file, 'http://new')).not.toThrow();
  });
});
