import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const module = new URL('../dist/file-lock.js', import.meta.url).href;
const processes = 20;
const directory = mkdtempSync(join(tmpdir(), 'tocsin-file-lock-'));
const file = join(directory, 'lock');
const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(directory, { recursive: true });
});

/** Starts twenty processes. All of them run `script` at the same time, when the last one has loaded the module. */
async function runAtOnce(script: string): Promise<ChildProcess[]> {
  const source = `
    import { tryLockFile, withFileLock } from ${JSON.stringify(module)};
    import { readFileSync, writeFileSync } from 'node:fs';
    import { setTimeout as sleep } from 'node:timers/promises';
    process.send('ready');
    process.once('message', async () => { ${script} });`;
  const started = Array.from({ length: processes }, () =>
    spawn(process.execPath, ['--input-type=module', '-e', source, file], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      cwd: fileURLToPath(new URL('.', import.meta.url)),
    }),
  );
  children.push(...started);
  await Promise.all(started.map((child) => once(child, 'message')));
  for (const child of started) child.send('go');
  return started;
}

test('exactly one of twenty processes gets a lock, even if the previous holder was killed', async () => {
  writeFileSync(file, 'left by a process of another machine');
  for (let round = 0; round < 3; round += 1) {
    const started = await runAtOnce(`
      process.send((await tryLockFile(process.argv[1])) !== undefined);
      process.on('message', () => {});`);
    const results = await Promise.all(started.map(async (child) => (await once(child, 'message'))[0]));
    expect(results.filter((isHolder) => isHolder === true)).toHaveLength(1);
    for (const child of started) child.kill('SIGKILL');
    await Promise.all(started.map((child) => child.exitCode ?? child.signalCode ?? once(child, 'exit')));
  }
}, 60_000);

test('twenty processes with a file lock change a file one after the other', async () => {
  const counter = join(directory, 'counter');
  writeFileSync(counter, '0');
  const started = await runAtOnce(`
    for (let turn = 0; turn < 3; turn += 1) {
      await withFileLock(process.argv[1], async () => {
        const before = Number(readFileSync(${JSON.stringify(counter)}, 'utf8'));
        await sleep(2);
        writeFileSync(${JSON.stringify(counter)}, String(before + 1));
      });
    }
    process.exit(0);`);
  await Promise.all(started.map((child) => once(child, 'exit')));
  expect(Number(readFileSync(counter, 'utf8'))).toBe(3 * processes);
}, 60_000);

test('if the lock module has no binary for the system, the error names a remedy', async () => {
  const source = `
    Object.defineProperty(process, 'arch', { value: 'without-binary' });
    const { tryLockFile } = await import(${JSON.stringify(module)});
    await tryLockFile(process.argv[1]).catch((error) => console.log(error.message));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source, file]);
  let output = '';
  child.stdout.on('data', (data) => {
    output += data;
  });
  await once(child, 'close');
  expect(output).toMatch(/^This system has no file locks .* glibc instead of musl/);
});
