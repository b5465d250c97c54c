import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { acquireLock } from './lock.js';

describe('acquireLock', () => {
  const directory = mkdtempSync(join(tmpdir(), 'tocsin-lock-'));
  const file = join(directory, 'launcher.lock');
  afterEach(() => rmSync(file, { force: true }));
  afterAll(() => rmSync(directory, { recursive: true }));

  test('a second launcher is rejected, and its error names the address of the first launcher', async () => {
    const lock = await acquireLock(file, 'http://127.0.0.1:8700');
    await expect(acquireLock(file, 'http://127.0.0.1:9700')).rejects.toThrow(
      `running already: http://127.0.0.1:8700 (process ${process.pid})`,
    );
    lock.release();
    expect(existsSync(file)).toBe(false);
  });

  test.each([
    ['of a launcher that has exited', JSON.stringify({ pid: 2 ** 22 + 1, apiUrl: 'http://old' })],
    ['whose process id was reused', JSON.stringify({ pid: process.pid, apiUrl: 'http://old' })],
    ['that a crash has truncated', '{"pid": 1'],
  ])('a launcher replaces a lock file %s', async (_, content) => {
    writeFileSync(file, content);
    const lock = await acquireLock(file, 'http://new');
    await expect(acquireLock(file, 'http://newer')).rejects.toThrow('http://new (');
    lock.release();
  });
});
