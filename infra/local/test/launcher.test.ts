import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connect } from 'amqplib';
import type { StackFile } from '../src/launcher/stack-file.js';
import type { RecordedChild } from '../src/processes/process-host.js';
import { isSameProcessAlive } from '../src/processes/process-identity.js';
import {
  eventually,
  expectUrls,
  findFreeBlock,
  findProcessesNaming,
  isRunning,
  pidsOf,
  type Running,
  runScript,
} from './support/launcher-process.js';

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const startScript = fileURLToPath(new URL('../dist/start.js', import.meta.url));
const resetScript = fileURLToPath(new URL('../dist/reset.js', import.meta.url));

import.meta.jest.setTimeout(90_000);

/**
 * The tests run `npm start` unmodified with a separate state directory. Each test uses the state that the previous one
 * left, so the order matters.
 */
describe('npm start', () => {
  const state = mkdtempSync(join(tmpdir(), 'tocsin-launcher-'));
  let portBase = 0;
  let launcher: Running;

  beforeAll(async () => {
    chmodSync(state, 0o711);
    portBase = await findFreeBlock();
    launcher = run(startScript, ['--workers', '2']);
    await eventually(
      'it is up',
      () => launcher.output().includes('Ctrl-C stops everything') || launcher.exitCode() !== null,
    );
  });

  afterAll(async () => {
    launcher.process.kill('SIGTERM');
    await launcher.exited;
    rmSync(state, { recursive: true, force: true, maxRetries: 5 });
  });

  test('npm start writes the addresses of the stack to a file that only its owner can read', async () => {
    expect(launcher.output()).toContain('Ready after');
    const stack = readStack();
    expect(statSync(join(state, 'stack.json')).mode & 0o777).toBe(0o600);
    expect(Object.keys(stack.clients)).toEqual([
      'admin',
      'editor',
      'reader',
      'publisher',
      'outsider',
      'responder',
    ]);
    expect(stack.pids['delivery-worker']).toHaveLength(2);
    for (const pid of pidsOf(stack)) expect(isRunning(pid)).toBe(true);
    await expectUrls(stack);
    expect((await fetch(stack.inbox_url)).status).toBe(200);
  });

  test('npm start prints the address of the console, and a user name and password for it', async () => {
    const { api_url, auth_url, realm, console_client_id, users } = readStack();
    expect(launcher.output()).toContain(`${api_url}/   (sign in as admin with the password ${users.admin})`);
    const config = await fetch(`${api_url}/console/config.json`);
    expect(await config.json()).toEqual({
      issuer: `${auth_url}/realms/${realm}`,
      client_id: console_client_id,
    });
    const page = await fetch(api_url, { headers: { accept: 'text/html' } });
    expect(page.headers.get('content-type')).toMatch(/^text\/(html|plain)/);
  });

  test('npm start prints the delivered body of the sample alert and the record of the delivery', () => {
    expect(launcher.output()).toContain('"text": "Sample: accuracy too low fired for Churn “v2”"');
    expect(launcher.output()).toContain('"status": "succeeded"');
  });

  test("alerts that the README's commands publish over REST and AMQP are delivered", async () => {
    const { token, alerts } = runReadme();
    for (const alert of alerts) {
      const url = `${readStack().api_url}/api/v1/workspaces/${readStack().workspace_id}/deliveries?alert_id=${alert}`;
      await eventually(`the alert ${alert} is delivered`, async () => {
        const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
        const [delivery] = (await response.json()) as { status: string }[];
        return delivery?.status === 'succeeded';
      });
    }
  });

  test('the broker closes the channel if a message exceeds the size limit of 1 MiB', async () => {
    const connection = await connect(readStack().amqp_url);
    const channel = await connection.createConfirmChannel();
    const refused = once(channel, 'error');
    channel.publish('tocsin.alerts', 'alert.fired', Buffer.alloc(1_048_577));
    expect(await refused).toMatchObject([{ code: 406, message: expect.stringContaining('message size') }]);
    await connection.close();
  });

  test('a second npm start is rejected, and its error names the address of the running stack', async () => {
    const second = run(startScript, []);
    expect(await second.exited).toBe(1);
    expect(second.output()).toContain(`running already: http://127.0.0.1:${portBase}`);
  });

  test('the error for a port in use names the process that needs it', async () => {
    const other = mkdtempSync(join(tmpdir(), 'tocsin-launcher-other-'));
    const second = run(startScript, [], { TOCSIN_STATE: other });
    expect(await second.exited).toBe(1);
    expect(second.output()).toContain(`port ${portBase}, which webhook-api needs, is in use`);
    expect(second.output()).toContain('PORT_BASE=');
    rmSync(other, { recursive: true });
  });

  test('npm run reset fails while the stack is running', async () => {
    const reset = run(resetScript, []);
    expect(await reset.exited).toBe(1);
    expect(existsSync(join(state, 'secrets.json'))).toBe(true);
  });

  test('a killed worker is restarted, and its new process id is written to stack.json', async () => {
    const [first = 0, second = 0] = readStack().pids['delivery-worker'];
    process.kill(first, 'SIGKILL');
    await eventually('it is started again', () => readStack().pids['delivery-worker'][0] !== first);
    expect(readStack().pids['delivery-worker'][1]).toBe(second);
    await eventually('it is ready', () => expectUrls(readStack()).then(() => true));
    expect(isRunning(readStack().pids['delivery-worker'][0] ?? 0)).toBe(true);
  });

  test('a killed database is restarted, and the API becomes ready again', async () => {
    const killed = readStack().pids.postgres;
    process.kill(killed, 'SIGKILL');
    await eventually('it is started again', () => readStack().pids.postgres !== killed);
    await eventually(
      'the API is ready',
      async () => (await fetch(`${readStack().api_url}/readyz`)).status === 200,
    );
  });

  test('a killed port mapper of Erlang (epmd) is restarted', async () => {
    const findEpmd = () => readChildren().find(({ name }) => name === 'epmd')?.pid ?? 0;
    const killed = findEpmd();
    process.kill(killed, 'SIGKILL');
    await eventually('it is started again', () => findEpmd() !== 0 && findEpmd() !== killed);
  });

  test('no process of the stack remains after the SIGKILL of npm start', async () => {
    const children = readChildren();
    expect(children.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'postgres',
        'rabbitmq',
        'epmd',
        'oidc',
        'inbox',
        'webhook-api',
        'delivery-worker-2',
      ]),
    );
    launcher.process.kill('SIGKILL');
    await launcher.exited;
    await eventually(
      'all have ended',
      () => !children.some(isSameProcessAlive) && findProcessesNaming(state).length === 0,
    );
  });

  test('a stack that is started again has the same secrets, and SIGTERM ends all its processes', async () => {
    const { engine_admin_key: key, clients } = readStack();
    launcher = run(startScript, ['--no-sample']);
    await eventually(
      'it is up',
      () => launcher.output().includes('Ready after') || launcher.exitCode() !== null,
    );
    expect(readStack()).toMatchObject({ engine_admin_key: key, clients });
    const children = readChildren();
    launcher.process.kill('SIGTERM');
    expect(await launcher.exited).toBe(0);
    expect(children.filter(isSameProcessAlive)).toEqual([]);
    expect(findProcessesNaming(state)).toEqual([]);
    expect(existsSync(join(state, 'stack.json'))).toBe(false);
  });

  test('npm run reset deletes the whole state directory', async () => {
    expect(await run(resetScript, []).exited).toBe(0);
    expect(existsSync(state)).toBe(false);
  });

  const run = (script: string, args: string[], env: NodeJS.ProcessEnv = {}): Running =>
    runScript(script, args, { TOCSIN_STATE: state, PORT_BASE: String(portBase), ...env });
  /**
   * Runs the first code block below the README's heading "Use", with the `stack.json` of this test instead of the
   * user's.
   */
  const runReadme = () => {
    const [, use = ''] = readFileSync(join(repository, 'README.md'), 'utf8').split('\n## Use\n');
    const [, commands = ''] = /```sh\n(.*?)```/s.exec(use) ?? [];
    expect(commands).toContain('"tocsin.alerts"');
    const script = `set -eu\n${commands.replace('.tocsin/stack.json', join(state, 'stack.json'))}
printf '\\n%s\\n%s\\n%s\\n' "$TOKEN" "$ALERT" "$(printf %s "$MESSAGE" | field alert_id)"`;
    const output = execFileSync('bash', ['-c', script], { cwd: repository, encoding: 'utf8' });
    const [token = '', ...alerts] = output.trimEnd().split('\n').slice(-3);
    expect(alerts).toHaveLength(2);
    return { token, alerts };
  };
  const readStack = () => JSON.parse(readFileSync(join(state, 'stack.json'), 'utf8')) as StackFile;
  const readChildren = () =>
    JSON.parse(readFileSync(join(state, 'children.json'), 'utf8')) as RecordedChild[];
});
