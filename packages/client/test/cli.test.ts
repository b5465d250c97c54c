import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { signInDevice } from './support/browser.js';
import { cli } from './support/cli.js';
import { useCliStack } from './support/cli-stack.js';
import { createManualClock } from './support/manual-clock.js';

const stack = useCliStack();
const { run, runJson, createWebhook } = stack;

describe('render', () => {
  test('render prints the body with sample values, or with the values of a given alert', async () => {
    const template = join(stack.directory, 'body.j2');
    writeFileSync(template, '{"text": "{{ model_name }} is at {{ metric_value }}"}');
    expect(await run(['render', template])).toMatchObject({ code: 0, stderr: '' });
    const stdin = JSON.stringify({ model_name: 'a "quoted" name', metric_value: 1 });
    expect(await run(['render', template, '--context', '-'], { stdin })).toEqual({
      code: 0,
      stdout: '{"text": "a \\"quoted\\" name is at 1.0"}\n',
      stderr: '',
    });
  });

  test('render needs no server, login or settings', async () => {
    expect(await cli(['render', '-'], { stdin: '{}' })).toMatchObject({ code: 0, stdout: '{}\n' });
  });

  test('render shows line, column and source line of an error', async () => {
    const { code, stdout, stderr } = await run(['render', '-'], { stdin: '{\n  "a": {{ 1 +* 2 }}\n}' });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /^tocsin: standard input:2:\d+: TemplateSyntaxError: .+\n {2}"a": \{\{ 1 \+\* 2 \}\}\n +\^\n$/,
    );
    expect(await run(['render', '-', '--json'], { stdin: '{{ "a" / 1 }}' })).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('"line": 1'),
    });
  });

  test('render prints a result that is not JSON together with the error', async () => {
    expect(await run(['render', '-'], { stdin: '{"a": {{ nothing }}}' })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'tocsin: The result is not JSON: line 1, column 7: a value is expected here\n{"a": }\n      ^\n',
      ),
      stdout: '{"a": }\n',
    });
  });

  test('render warns of a name that no alert has', async () => {
    expect(await run(['render', '-'], { stdin: '{"a": "{{ model_nam }}"}' })).toEqual({
      code: 0,
      stdout: '{"a": ""}\n',
      stderr: expect.stringMatching(/^standard input:1:11: warning: .*'model_nam'.*'model_name'/),
    });
  });

  test('render rejects standard input as both template and context', async () => {
    expect((await run(['render', '-', '--context', '-'])).code).toBe(2);
  });
});

describe('keys', () => {
  test('`keys create` prints only the raw key to stdout, and the key works as SERVICE_API_KEY', async () => {
    const made = await run(['keys', 'create', 'a monitor']);
    expect(made.stdout).toMatch(/^[A-Za-z0-9+/=]+\n$/);
    const id = /id (\S+)/.exec(made.stderr)?.[1] ?? '';
    const listed = await run(['keys', 'list']);
    expect(listed.stdout).toContain('a monitor');
    expect(listed.stdout).not.toContain(made.stdout.trim());
    const env = {
      TOCSIN_STACK: '',
      TOCSIN_ENGINE_URL: stack.services.engineUrl,
      SERVICE_API_KEY: made.stdout,
    };
    expect((await run(['keys', 'list'], { env })).code).toBe(4);
    expect((await run(['keys', 'deactivate', id])).code).toBe(0);
    expect((await run(['keys', 'list'], { env })).code).toBe(3);
  });
});

describe('the principal', () => {
  /** Environment variables for commands without a stack file: the addresses that the file would contain. */
  const addresses = () => ({
    TOCSIN_STACK: '',
    TOCSIN_API_URL: stack.services.apiUrl,
    TOCSIN_ISSUER: process.env.TOCSIN_TEST_OIDC_ISSUER ?? '',
  });

  test('whoami shows the principal, and --as selects another service account', async () => {
    expect((await run(['whoami'])).stdout).toMatch(/deployment +.*tocsin_admin/);
    const reader = await runJson<{ workspaces: unknown }>(['whoami', '--as', 'reader']);
    expect(reader.workspaces).toEqual({ [stack.workspace]: ['reader'] });
    expect((await run(['webhooks', 'list', '--as', 'outsider'])).code).toBe(4);
  });

  test('whoami prints the name of the user who has logged in', async () => {
    const users = JSON.parse(process.env.TOCSIN_TEST_OIDC_USERS ?? '{}');
    const env = {
      ...addresses(),
      TOCSIN_LOGIN_FILE: join(stack.directory, 'login.json'),
    };
    let printed = '';
    const clock = createManualClock({
      async whileSleeping() {
        const verificationUri = /Open (\S+)/.exec(printed)?.[1] ?? '';
        await signInDevice({ verificationUri, username: 'editor', password: users.editor });
      },
    });
    const onOutput = ({ stderr }: { stderr: string }) => {
      printed = stderr;
    };
    expect((await run(['login'], { env, clock, onOutput })).code).toBe(0);
    expect((await run(['whoami'], { env })).stdout).toMatch(/^name +editor\nsubject +user-editor\n/);
  });

  test('the credentials of a service account are read from the environment', async () => {
    const clients = JSON.parse(process.env.TOCSIN_TEST_OIDC_CLIENTS ?? '{}');
    const env = {
      ...addresses(),
      TOCSIN_CLIENT_ID: clients.editor.client_id,
      TOCSIN_CLIENT_SECRET: `${clients.editor.client_secret}\n`,
      TOCSIN_WORKSPACE: stack.workspace,
    };
    expect((await run(['webhooks', 'list'], { env })).code).toBe(0);
    expect((await run(['webhooks', 'list'], { env: { ...env, TOCSIN_CLIENT_SECRET: 'wrong' } })).code).toBe(
      3,
    );
    expect((await run(['webhooks', 'list'], { env: { ...env, TOCSIN_WORKSPACE: '' } })).code).toBe(2);
    expect((await run(['webhooks', 'list'], { env: { ...env, TOCSIN_ISSUER: '' } })).code).toBe(3);
  });

  test('a command exits with 8 if the API is unreachable', async () => {
    const { code, stderr } = await run(['whoami', '--api-url', 'http://127.0.0.1:9']);
    expect(code).toBe(8);
    expect(stderr).toContain('127.0.0.1:9');
  });
});

test.each([
  ['whoami', '--api-url'],
  ['whoami', '--issuer'],
])('the command "%s %s" with plain http to another host requires --allow-http', async (command, flag) => {
  const words = [command, flag, 'http://tocsin.invalid/realms/tocsin'];
  const rejected = await run(words);
  expect(rejected).toMatchObject({ code: 2, stderr: expect.stringContaining('--allow-http') });
  const allowed = await run([...words, '--allow-http']);
  expect(allowed).toMatchObject({ code: 8, stderr: expect.stringContaining('getaddrinfo') });
});

describe('command line and output', () => {
  test.each([
    [[]],
    [['nonsense']],
    [['webhooks']],
    [['webhooks', 'get']],
    [['webhooks', 'get', 'a', 'b']],
    [['webhooks', 'list', '--limit', '0']],
    [['webhooks', 'list', '--sort', 'colour']],
    [['webhooks', 'create', '--name', 'x']],
    [['webhooks', 'create', '--header', 'no colon']],
    [['webhooks', 'create', '--from', '/nonexistent']],
    [['webhooks', 'update', 'x']],
    [['webhooks', 'create', '--from', '-', '--body-file', '-']],
    [['webhooks', 'test']],
    [['webhooks', 'test', 'x', '--body', '{}']],
    [['webhooks', 'test', 'x', '--body', '']],
    [['webhooks', 'test', 'x', '--body-file', '-']],
    [['webhooks', 'test', 'x', '--header', 'A: b']],
    [['webhooks', 'test', '--url', 'http://127.0.0.1:9/', '--alert', 'x']],
    [['webhooks', 'test', '--url', 'http://127.0.0.1:9/', '--context', '-']],
    [['rules', 'create', '--threshold', 'high']],
    [['alerts', 'fire', '--value', '1']],
    [['alerts', 'fire', '-', '--no-declare']],
    [['whoami', '--api-url', 'http://tocsin.example']],
    [['keys', 'list', '--engine-url', 'http://192.0.2.1']],
    [['alerts', 'list', '--since', 'yesterday']],
    [['export', '--namespace', 'a/b']],
    [['export', '--namespace', '']],
    [['deliveries', 'list', '--status', 'lost']],
    [['whoami', '--as', 'nobody']],
    [['whoami', '--stack', '/nonexistent']],
    [['completion', 'cmd']],
    [['whoami', '--as', 'admin', '--stack', '']],
  ])('the invalid command line %j exits with 2 and prints to stderr', async (words) => {
    expect(await run(words)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/\S/) });
  });

  test.each([['not json'], ['[]'], ['null'], ['{"name":']])(
    '`webhooks create --from` with the input %j is a usage error',
    async (stdin) => {
      expect((await run(['webhooks', 'create', '--from', '-'], { stdin })).code).toBe(2);
    },
  );

  test.each([[['--help']], [['webhooks', 'create', '--help']], [['help', 'alerts']], [['--version']]])(
    'the command line %j prints to stdout and exits with 0',
    async (words) => {
      expect(await run(words)).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/\S/) });
    },
  );

  test('the help of each group of commands contains a description', async () => {
    const topics = await run(['__complete', '--', '']);
    for (const topic of topics.stdout
      .trim()
      .split('\n')
      .filter((name) => name !== 'help')) {
      const { stdout } = await run([topic, '--help']);
      // Without a description, the heading of the options or of the commands follows the usage.
      expect(stdout).toMatch(/^Usage: .*\n\n(?!\w+:\n)\w/);
    }
  });

  test('shell completion lists commands, flags and values of flags', async () => {
    const complete = async (...words: string[]) =>
      (await run(['__complete', '--', ...words])).stdout.trim().split('\n');
    expect(await complete('web')).toEqual(['webhooks']);
    expect(await complete('webhooks', 'p')).toEqual(['pause', 'preview']);
    expect(await complete('deliveries', 'list', '--sta')).toEqual(['--status', '--status-code', '--stack']);
    expect(await complete('deliveries', 'list', '--status', 's')).toEqual([
      'sending',
      'succeeded',
      'skipped',
    ]);
    expect(await complete('webhooks', 'get', '')).toEqual(['']);
  });

  test('output is coloured on a terminal, but not in a pipe, with NO_COLOR or with --no-color', async () => {
    await createWebhook('coloured');
    const words = ['webhooks', 'list', '--name', 'coloured'];
    const sequence = '\u001b[';
    expect((await run(words, { columns: 200 })).stdout).toContain(sequence);
    expect((await run(words)).stdout).not.toContain(sequence);
    expect((await run(words, { columns: 200, env: { NO_COLOR: '1' } })).stdout).not.toContain(sequence);
    expect((await run([...words, '--no-color'], { columns: 200 })).stdout).not.toContain(sequence);
  });

  test('a table is truncated to the width of a terminal, but not if it is written to a pipe', async () => {
    const name = `wide ${'ä漢🚨'.repeat(60)}`;
    await createWebhook(name);
    const words = ['webhooks', 'list', '--name', 'wide', '--no-color'];
    const { stdout } = await run(words, { columns: 100 });
    expect(stdout).toContain('…');
    expect((await run(words)).stdout).toContain(name);
  });

  test('escape sequences in a name are not sent to the terminal', async () => {
    await createWebhook('evil \u001b]0;owned\u0007 \u202e txt');
    const { stdout } = await run(['webhooks', 'list', '--name', 'evil'], { columns: 200 });
    expect(stdout).toContain('evil \\u001b]0;owned\\u0007 \\u202e txt');
    expect(stdout).not.toContain('\u0007');
  });
});
