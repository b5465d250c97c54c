import { PassThrough } from 'node:stream';
import { runCli } from '../src/cli/run-cli.js';
import { systemClock } from '../src/clock.js';
import { secrets, useWorkspaceFiles, workspaceFile } from './support/workspace-files.js';

const { stack, run, runJson, save, apply, listAll } = useWorkspaceFiles();

/** Runs `apply`. When it asks for confirmation, runs `meanwhile` and then sends `reply`. */
async function applyAndReply(path: string, reply: string, meanwhile = async () => {}) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const printed = { stdout: '', stderr: '' };
  const code = await runCli(['apply', '-f', path], {
    clock: systemClock,
    env: { ...stack.env, ...secrets },
    stdin,
    stdout: { write: (text) => (printed.stdout += text) },
    stderr: {
      write(text) {
        printed.stderr += text;
        if (text.includes('[y/N]')) void meanwhile().then(() => stdin.end(reply));
      },
    },
    signal: new AbortController().signal,
  });
  return { code, ...printed };
}

test('apply fails and names a resource that another user changed after the plan was made', async () => {
  await apply(save(workspaceFile()));
  const { webhooks } = await listAll();
  const pager = webhooks.find(({ name }) => name === 'pager');
  const path = save(workspaceFile().replace('enabled: false', 'enabled: true'));
  const { code, stdout, stderr } = await applyAndReply(path, 'y\n', async () => {
    await run(['webhooks', 'update', pager?.id ?? '', '--name', 'faster']);
  });
  expect(code).toBe(7);
  expect(stderr).toContain('Somebody else has changed webhook risk/pager since the plan was made');
  expect(stdout).toContain('Done: 0 of 1.');
  expect(await runJson(['webhooks', 'get', pager?.id ?? ''])).toMatchObject({
    name: 'faster',
    enabled: false,
  });
});

test.each(['n\n', '\n', '', 'yep\n'])('apply changes nothing after the reply %j', async (reply) => {
  const { code, stderr } = await applyAndReply(save(workspaceFile()), reply);
  expect([code, stderr]).toEqual([0, expect.stringContaining('Nothing was changed.')]);
  expect((await listAll()).webhooks).toEqual([]);
});

test('apply without a terminal requires --yes, except with --dry-run', async () => {
  const path = save(workspaceFile());
  const asked = await run(['apply', '-f', path], { env: secrets });
  expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('--yes')]);
  expect((await run(['apply', '-f', '-', '--dry-run'], { stdin: workspaceFile(), env: secrets })).code).toBe(
    0,
  );
  expect((await listAll()).webhooks).toEqual([]);
});

test('export and apply fail for a reader, and the error names the required role', async () => {
  await apply(save(workspaceFile()));
  for (const words of [['export'], ['apply', '-f', save(workspaceFile()), '--dry-run']]) {
    const { code, stderr } = await run([...words, '--as', 'reader']);
    expect([code, stderr]).toEqual([4, expect.stringContaining('needs the role editor or admin')]);
  }
});

test('apply fails and names the webhook that got a planned external id after the plan was made', async () => {
  const path = save(workspaceFile());
  const { code, stderr } = await applyAndReply(path, 'y\n', async () => {
    await run([
      'webhooks',
      'create',
      '--name',
      'first',
      '--url',
      'http://127.0.0.1:9/',
      '--body',
      '{}',
      '--external-id',
      'risk/chat',
    ]);
  });
  expect([code, stderr]).toEqual([7, expect.stringContaining('"first"')]);
});
