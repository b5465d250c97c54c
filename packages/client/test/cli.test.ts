import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestBroker } from '@tocsin/testing/broker';
import { insertAlert, insertAttempt, insertDelivery } from '@tocsin/testing/database';
import { signInDevice } from './support/browser.js';
import { type CliOptions, cli } from './support/cli.js';
import { createManualClock } from './support/manual-clock.js';
import { startServices } from './support/services.js';

type Services = Awaited<ReturnType<typeof startServices>>;
let services: Services;
let stack: string;
const directory = mkdtempSync(join(tmpdir(), 'tocsin-cli-'));
const workspace = process.env.TOCSIN_TEST_WORKSPACE_ID ?? '';

beforeAll(async () => {
  services = await startServices();
  const issuer = process.env.TOCSIN_TEST_OIDC_ISSUER ?? '';
  const [auth_url, realm] = issuer.split('/realms/');
  stack = join(directory, 'stack.json');
  const file = {
    api_url: services.apiUrl,
    engine_url: services.engineUrl,
    auth_url,
    realm,
    workspace_id: workspace,
    clients: JSON.parse(process.env.TOCSIN_TEST_OIDC_CLIENTS ?? '{}'),
    device_client_id: 'tocsin-cli',
    engine_admin_key: services.engineAdminKey,
  };
  writeFileSync(stack, JSON.stringify(file));
});
afterAll(async () => {
  rmSync(directory, { recursive: true });
  await services.close();
});

/** Runs the command with the settings of a running stack. */
const run = (words: string[], options: CliOptions = {}) =>
  cli(words, {
    ...options,
    env: { TOCSIN_STACK: stack, TOCSIN_LOGIN_FILE: join(directory, 'none'), ...options.env },
  });

async function runJson<T>(words: string[], options: CliOptions = {}): Promise<T> {
  const { code, stdout, stderr } = await run([...words, '--json'], options);
  if (code !== 0) throw new Error(`${words.join(' ')}: ${code} ${stderr}`);
  return JSON.parse(stdout) as T;
}

interface Named {
  id: string;
  name: string;
}

const createWebhook = (name: string, ...more: string[]) =>
  runJson<Named>([
    'webhooks',
    'create',
    '--name',
    name,
    '--url',
    'http://127.0.0.1:9/',
    '--body',
    '{}',
    ...more,
  ]);

describe('webhooks', () => {
  test('webhooks are created from flags, shown, changed, listed and deleted', async () => {
    const headers = ['--header', 'X-Team: a', '--header', 'X-Team: b:c', '--no-retry-on-timeout'];
    const { id } = await createWebhook('first', ...headers);
    expect(await runJson(['webhooks', 'get', id])).toMatchObject({
      name: 'first',
      headers: { 'X-Team': ['a', 'b:c'] },
      enabled: true,
      retry_on_timeout: false,
    });
    expect(await runJson(['webhooks', 'update', id, '--disable', '--name', 'renamed'])).toMatchObject({
      name: 'renamed',
      enabled: false,
      retry_on_timeout: false,
    });
    expect((await run(['webhooks', 'list', '--name', 'renamed'])).stdout).toMatch(
      /^ID +NAME +URL +STATE +UPDATED\n[0-9a-f-]{36} +renamed +http:\/\/127\.0\.0\.1:9\/ +disabled/,
    );
    expect(await run(['webhooks', 'delete', id])).toMatchObject({ code: 0, stdout: `Deleted ${id}.\n` });
    expect(await run(['webhooks', 'get', id])).toMatchObject({ code: 5, stdout: '' });
  });

  test('webhooks are created from JSON on standard input, overridden by flags', async () => {
    const stdin = JSON.stringify({ name: 'piped', url: 'http://127.0.0.1:9/', body: '{}', enabled: false });
    const made = await runJson(['webhooks', 'create', '--from', '-', '--name', 'flagged'], { stdin });
    expect(made).toMatchObject({ name: 'flagged', enabled: false });
  });

  test('the retry after a timeout can be switched off and on again', async () => {
    const { id } = await createWebhook('timeouts', '--no-retry-on-timeout');
    const update = (...flags: string[]) => runJson(['webhooks', 'update', id, ...flags]);
    expect(await update('--retry-on-timeout')).toMatchObject({ retry_on_timeout: true });
    expect(await update('--no-retry-on-timeout')).toMatchObject({ retry_on_timeout: false });
    expect(await update('--disable')).toMatchObject({ retry_on_timeout: false });
  });

  test('update sets one header and keeps the rest, and removes one', async () => {
    const given = ['--header', 'X-Team: a', '--header', 'X-Team: b', '--header', 'X-Key: old'];
    const { id } = await createWebhook('headers', ...given);
    const update = (...flags: string[]) => runJson(['webhooks', 'update', id, ...flags]);
    expect(await update('--header', 'x-key: new')).toMatchObject({
      headers: { 'X-Team': ['a', 'b'], 'x-key': ['new'] },
    });
    expect(await update('--remove-header', 'x-team', '--header', 'X-More: c')).toMatchObject({
      headers: { 'x-key': ['new'], 'X-More': ['c'] },
    });
    const unknown = await run(['webhooks', 'update', id, '--remove-header', 'X-Team']);
    expect(unknown).toMatchObject({ code: 2, stderr: 'tocsin: The webhook has no header X-Team.\n' });
  });

  test('the output of get --json feeds --from', async () => {
    const original = await createWebhook('original', '--header', 'X-Team: a', '--disable');
    const { stdout: stdin } = await run(['webhooks', 'get', original.id, '--json']);
    const copy = await runJson<Named>(['webhooks', 'create', '--from', '-', '--name', 'copy'], { stdin });
    expect(copy).toMatchObject({ name: 'copy', headers: { 'X-Team': ['a'] }, enabled: false });
    expect(copy.id).not.toBe(original.id);
    expect(await runJson(['webhooks', 'update', copy.id, '--from', '-'], { stdin })).toMatchObject({
      id: copy.id,
      name: 'original',
    });
    const typing = await run(['webhooks', 'update', copy.id, '--from', '-'], { stdin: '{"nmae": "x"}' });
    expect(typing).toMatchObject({ code: 6, stderr: expect.stringContaining('/nmae') });
  });

  test('a failing test prints the reason and exits with 1', async () => {
    const { id } = await createWebhook('refused');
    const { code, stdout, stderr } = await run(['webhooks', 'test', id]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'tocsin: The test failed.\n' });
    expect(stdout).toMatch(/error +connection_refused/);
  });

  test('a preview reads standard input and prints the error on stderr', async () => {
    const body = '{"text": "{{ model_name }}"}';
    expect(await run(['webhooks', 'preview', '-'], { stdin: body })).toMatchObject({ code: 0 });
    const broken = await run(['webhooks', 'preview', '-'], { stdin: '{{ 1 +' });
    expect(broken).toMatchObject({ code: 1, stdout: '' });
    expect(broken.stderr).toContain('template_error');
  });

  test('a validation error is printed with its place and exits with 6', async () => {
    const refused = await run(['webhooks', 'create', '--name', 'x', '--url', 'nonsense', '--body', '{}']);
    expect(refused.code).toBe(6);
    expect(refused.stderr).toMatch(/\/url .+\n {2}\(request /s);
  });
});

describe('rules, alerts and deliveries', () => {
  test('a rule is created and fires, and all alerts of a file are confirmed', async () => {
    const { id: webhook } = await createWebhook('for a rule');
    const model = randomUUID();
    const flags = ['--model-id', model, '--threshold', '0.4', '--bound', 'upper', '--webhook', webhook];
    const rule = await runJson<Named>(['rules', 'create', '--name', 'drift', ...flags]);
    expect(await runJson(['rules', 'get', rule.id])).toMatchObject({ notification_webhook_ids: [webhook] });
    expect((await run(['webhooks', 'delete', webhook])).code).toBe(7);
    const fired = await run([
      'alerts',
      'fire',
      '--rule',
      rule.id,
      '--model-id',
      model,
      '--model-name',
      'm',
      '--value',
      '-1e-3',
    ]);
    expect(fired).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[0-9a-f-]{36}\n$/) });

    const alert = { alert_rule_id: rule.id, model_id: model, model_name: 'm', metric_value: 1 };
    const lines = Array.from({ length: 40 }, () => JSON.stringify(alert)).join('\n');
    expect(await runJson(['alerts', 'fire', '-'], { stdin: lines })).toHaveLength(40);
    expect((await runJson<Named[]>(['rules', 'list'])).map(({ id }) => id)).toContain(rule.id);
    expect(await runJson(['rules', 'update', rule.id, '--no-webhooks', '--disable'])).toMatchObject({
      enabled: false,
      notification_webhook_ids: [],
    });
    expect((await run(['rules', 'delete', rule.id])).code).toBe(0);
  });

  test('the output of rules get --json feeds --from', async () => {
    const fields = { name: 'r', model_id: randomUUID(), threshold: 1, bound: 'lower_bound' };
    const made = await runJson<Named>(['rules', 'create', '--from', '-'], { stdin: JSON.stringify(fields) });
    const { stdout: stdin } = await run(['rules', 'get', made.id, '--json']);
    const copy = await runJson<Named>(['rules', 'create', '--from', '-', '--name', 'copy'], { stdin });
    expect(copy).toMatchObject({ ...fields, name: 'copy' });
  });

  test('an alert is fired with state, labels and annotations, which are shown', async () => {
    const own = {
      name: 'o',
      enabled: true,
      threshold: 1,
      bound: 'upper_bound',
      notification_webhook_ids: [],
    };
    const alert = {
      alert_rule_id: randomUUID(),
      model_id: randomUUID(),
      model_name: 'm',
      metric_value: 1,
      alert_rule: own,
      state: 'resolved',
      labels: { team: 'risk' },
      annotations: { link: 'https://example.com/?a=b' },
    };
    const fired = await run(['alerts', 'fire', '-'], { stdin: JSON.stringify(alert) });
    expect(fired.code).toBe(0);
    const rule = [
      '--rule',
      alert.alert_rule_id,
      '--model-id',
      alert.model_id,
      '--model-name',
      'm',
      '--value',
      '1',
    ];
    const more = [
      '--state',
      'resolved',
      '--label',
      'team=a=b',
      '--label',
      'zone=',
      '--annotation',
      'summary=x',
    ];
    const refused = await run(['alerts', 'fire', ...rule, ...more]);
    expect(refused).toMatchObject({ code: 6, stderr: expect.stringContaining('/alert_rule_id') });
    expect((await run(['alerts', 'fire', ...rule, '--label', '=x'])).stderr).toContain('name=value');
    const { alertId } = await insertAlert(services.database, {
      workspaceId: workspace,
      labels: alert.labels,
    });
    const shown = await run(['alerts', 'get', alertId]);
    expect(shown.stdout).toMatch(/^state +firing\nlabels +team: risk\n/m);
  });

  test('alerts are published straight to the broker with --amqp', async () => {
    const { url } = await createTestBroker();
    const env = { TOCSIN_AMQP_URL: url, TOCSIN_WORKSPACE: workspace, TOCSIN_STACK: '' };
    const alert = { alert_rule_id: randomUUID(), model_id: randomUUID(), model_name: 'm', metric_value: 1 };
    const stdin = [alert, alert].map((one) => JSON.stringify(one)).join('\n');
    const fire = (...flags: string[]) => run(['alerts', 'fire', '-', '--amqp', ...flags], { env, stdin });
    for (const flags of [[], ['--no-declare']]) {
      const { code, stdout } = await fire(...flags);
      expect({ code, lines: stdout.trim().split('\n').length }).toEqual({ code: 0, lines: 2 });
    }
    const wrong = Object.assign(new URL(url), { password: 'wrong' }).href;
    const refused = await run(['alerts', 'fire', '-', '--amqp'], {
      env: { ...env, TOCSIN_AMQP_URL: wrong },
      stdin,
    });
    expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('ACCESS_REFUSED') });
  });

  test('a file is published in batches, and an alert that is refused is named', async () => {
    const rule = { name: 'r', model_id: randomUUID(), threshold: 1, bound: 'lower_bound' };
    const { id } = await runJson<Named>(['rules', 'create', '--from', '-'], { stdin: JSON.stringify(rule) });
    const alert = { alert_rule_id: id, model_id: rule.model_id, model_name: 'm', metric_value: 0 };
    const bad = { ...alert, alert_id: randomUUID(), metric_value: null };
    const many = Array.from({ length: 1_100 }, () => alert);
    const stdin = [...many, bad].map((line) => JSON.stringify(line)).join('\n');
    const result = await run(['alerts', 'fire', '-', '--batch'], { stdin });
    expect(result.code).toBe(6);
    expect(result.stderr).toContain(`Not confirmed: alert ${bad.alert_id}`);
    expect(result.stderr).toContain('/metric_value');
    expect(result.stderr).toContain('1 of 1101 alerts were not confirmed');
    expect(new Set(result.stdout.trim().split('\n')).size).toBe(1_100);
    expect(await run(['alerts', 'fire', '-', '--batch', '--amqp'], { stdin })).toMatchObject({ code: 2 });
  });

  test('an unconfirmed alert is named, and the others are published', async () => {
    const rule = { name: 'r', model_id: randomUUID(), threshold: 1, bound: 'lower_bound' };
    const { id } = await runJson<Named>(['rules', 'create', '--from', '-'], { stdin: JSON.stringify(rule) });
    const alert = { alert_rule_id: id, model_id: rule.model_id, model_name: 'm', metric_value: 0 };
    const bad = { ...alert, alert_id: randomUUID(), alert_rule_id: randomUUID() };
    const result = await run(['alerts', 'fire', '-'], { stdin: JSON.stringify([alert, bad, alert]) });
    expect(result.code).toBe(6);
    expect(result.stderr).toContain(`Not confirmed: alert ${bad.alert_id}`);
    expect(result.stderr).toContain('1 of 3 alerts were not confirmed');
    expect(result.stdout.trim().split('\n')).toHaveLength(2);
  });

  test('an empty list is a note on stderr for people and [] for programs', async () => {
    const none = ['--webhook', randomUUID()];
    expect(await run(['deliveries', 'list', ...none])).toMatchObject({
      stdout: '',
      stderr: 'No deliveries.\n',
    });
    expect(await runJson(['deliveries', 'list', ...none, '--since', '2h'])).toEqual([]);
    expect(await runJson(['dead-letters', 'list'])).toEqual([]);
    expect(await runJson(['alerts', 'list', '--rule', randomUUID()])).toEqual([]);
  });

  test('a pause, a wait and the cause of a failure are printed in words', async () => {
    const { id: webhookId } = await createWebhook('paused');
    const pause = { reason: 'retry_after', error: 'The destination responded with status 429.', times: 1 };
    const pausedUntil = new Date('2100-01-01T00:00:00Z');
    await services.database
      .knex('webhook_pauses')
      .insert({ webhook_id: webhookId, paused_until: pausedUntil, ...pause });
    const webhook = await run(['webhooks', 'get', webhookId]);
    expect(webhook.stdout).toMatch(
      /^paused .*until 2100-01-01.*asked for it with Retry-After \(.*status 429/m,
    );
    expect((await run(['webhooks', 'list', '--name', 'paused'])).stdout).toMatch(/ paused +/);

    const responseHeaders = { location: 'https://new.example/' };
    const redirect = { response: '', statusCode: 302, responseHeaders };
    const deliveryId = await insertDelivery(services.database, {
      workspaceId: workspace,
      webhookId,
      status: 'open',
      claims: 1,
    });
    await insertAttempt(services.database, {
      workspaceId: workspace,
      id: deliveryId,
      number: 1,
      ...redirect,
    });
    const { stdout } = await run(['deliveries', 'get', deliveryId]);
    expect(stdout).toMatch(/^waiting +the webhook is paused$/m);
    expect(stdout).toMatch(/^likely cause +The destination redirects/m);
    expect(stdout).toMatch(/^location +https:\/\/new\.example\/$/m);
  });

  test('redeliver requires ids or a filter, and a filter creates a job', async () => {
    const { code, stderr } = await run(['deliveries', 'redeliver', '--webhook', randomUUID(), '--no-wait']);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^Job .+: 0 deliveries match\.\n$/),
    });
    expect((await run(['deliveries', 'redeliver'])).code).toBe(2);
    const statusOnly = await run(['deliveries', 'redeliver', '--status', 'succeeded']);
    expect([statusOnly.code, statusOnly.stderr]).toEqual([2, expect.stringContaining('--all')]);
    const all = ['deliveries', 'redeliver', '--all', '--status', 'skipped', '--no-wait'];
    expect(await runJson(all)).toMatchObject({ filter: { status: 'skipped' } });
    expect((await run(['deliveries', 'redeliver', randomUUID()])).code).toBe(5);
    const missing = [randomUUID(), randomUUID()];
    const both = await run(['deliveries', 'redeliver', ...missing]);
    expect(both.code).toBe(5);
    for (const id of missing) expect(both.stderr).toContain(`${id}: `);
  });
});

describe('render', () => {
  test('render prints the result with sample values and with an alert', async () => {
    const template = join(directory, 'body.j2');
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
      stderr:
        'tocsin: The result is not JSON: line 1, column 7: a value is expected here\n{"a": }\n      ^\n',
      stdout: '{"a": }\n',
    });
  });

  test('template and context cannot both be standard input', async () => {
    expect((await run(['render', '-', '--context', '-'])).code).toBe(2);
  });
});

describe('keys', () => {
  test('the raw key is the only output on stdout and works as SERVICE_API_KEY', async () => {
    const made = await run(['keys', 'create', 'a monitor']);
    expect(made.stdout).toMatch(/^[A-Za-z0-9+/=]+\n$/);
    const id = /id (\S+)/.exec(made.stderr)?.[1] ?? '';
    const listed = await run(['keys', 'list']);
    expect(listed.stdout).toContain('a monitor');
    expect(listed.stdout).not.toContain(made.stdout.trim());
    const env = {
      TOCSIN_STACK: '',
      TOCSIN_ENGINE_URL: services.engineUrl,
      SERVICE_API_KEY: made.stdout,
    };
    expect((await run(['keys', 'list'], { env })).code).toBe(4);
    expect((await run(['keys', 'deactivate', id])).code).toBe(0);
    expect((await run(['keys', 'list'], { env })).code).toBe(3);
  });
});

describe('the principal', () => {
  test('whoami shows the principal, and --as selects another one', async () => {
    expect((await run(['whoami'])).stdout).toMatch(/deployment +.*tocsin_admin/);
    const reader = await runJson<{ workspaces: unknown }>(['whoami', '--as', 'reader']);
    expect(reader.workspaces).toEqual({ [workspace]: ['reader'] });
    expect((await run(['webhooks', 'list', '--as', 'outsider'])).code).toBe(4);
  });

  test('whoami names a person who has logged in', async () => {
    const users = JSON.parse(process.env.TOCSIN_TEST_OIDC_USERS ?? '{}');
    const env = {
      TOCSIN_STACK: '',
      TOCSIN_API_URL: services.apiUrl,
      TOCSIN_ISSUER: process.env.TOCSIN_TEST_OIDC_ISSUER ?? '',
      TOCSIN_LOGIN_FILE: join(directory, 'login.json'),
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

  test('credentials of a service account come from the environment', async () => {
    const clients = JSON.parse(process.env.TOCSIN_TEST_OIDC_CLIENTS ?? '{}');
    const env = {
      TOCSIN_STACK: '',
      TOCSIN_API_URL: services.apiUrl,
      TOCSIN_ISSUER: process.env.TOCSIN_TEST_OIDC_ISSUER ?? '',
      TOCSIN_CLIENT_ID: clients.editor.client_id,
      TOCSIN_CLIENT_SECRET: `${clients.editor.client_secret}\n`,
      TOCSIN_WORKSPACE: workspace,
    };
    expect((await run(['webhooks', 'list'], { env })).code).toBe(0);
    expect((await run(['webhooks', 'list'], { env: { ...env, TOCSIN_CLIENT_SECRET: 'wrong' } })).code).toBe(
      3,
    );
    expect((await run(['webhooks', 'list'], { env: { ...env, TOCSIN_WORKSPACE: '' } })).code).toBe(2);
    expect((await run(['webhooks', 'list'], { env: { ...env, TOCSIN_ISSUER: '' } })).code).toBe(3);
  });

  test('an unreachable API exits with 8', async () => {
    const { code, stderr } = await run(['whoami', '--api-url', 'http://127.0.0.1:9']);
    expect(code).toBe(8);
    expect(stderr).toContain('127.0.0.1:9');
  });
});

test.each([
  ['whoami', '--api-url'],
  ['whoami', '--issuer'],
])('%s %s with plain http to another machine needs --allow-http', async (command, flag) => {
  const words = [command, flag, 'http://tocsin.invalid/realms/tocsin'];
  const refused = await run(words);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--allow-http') });
  const allowed = await run([...words, '--allow-http']);
  expect(allowed).toMatchObject({ code: 8, stderr: expect.stringContaining('getaddrinfo') });
});

describe('the command line itself', () => {
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
    [['rules', 'create', '--threshold', 'high']],
    [['alerts', 'fire', '--value', '1']],
    [['alerts', 'fire', '-', '--no-declare']],
    [['whoami', '--api-url', 'http://tocsin.example']],
    [['keys', 'list', '--engine-url', 'http://192.0.2.1']],
    [['alerts', 'list', '--since', 'yesterday']],
    [['deliveries', 'list', '--status', 'lost']],
    [['whoami', '--as', 'nobody']],
    [['whoami', '--stack', '/nonexistent']],
    [['completion', 'cmd']],
    [['whoami', '--as', 'admin', '--stack', '']],
  ])('the wrong command line %j exits with 2 and prints to stderr', async (words) => {
    expect(await run(words)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/\S/) });
  });

  test.each([['not json'], ['[]'], ['null'], ['{"name":']])(
    '%j as fields is a usage error',
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

  test('each command has a description, and --json if it has output', async () => {
    const topics = await run(['__complete', '--', '']);
    for (const topic of topics.stdout
      .trim()
      .split('\n')
      .filter((name) => name !== 'help')) {
      const { stdout } = await run([topic, '--help']);
      expect(stdout.split('\n')[2]).toMatch(/\w/);
    }
  });

  test('completion offers commands, flags and values of flags', async () => {
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

  test('colours are used only on terminals that allow them', async () => {
    await createWebhook('coloured');
    const words = ['webhooks', 'list', '--name', 'coloured'];
    const sequence = '\u001b[';
    expect((await run(words, { columns: 200 })).stdout).toContain(sequence);
    expect((await run(words)).stdout).not.toContain(sequence);
    expect((await run(words, { columns: 200, env: { NO_COLOR: '1' } })).stdout).not.toContain(sequence);
    expect((await run([...words, '--no-color'], { columns: 200 })).stdout).not.toContain(sequence);
  });

  test('a table fits the terminal, and is not truncated in a pipe', async () => {
    const name = `wide ${'ä漢🚨'.repeat(60)}`;
    await createWebhook(name);
    const words = ['webhooks', 'list', '--name', 'wide', '--no-color'];
    const { stdout } = await run(words, { columns: 100 });
    expect(stdout).toContain('…');
    expect((await run(words)).stdout).toContain(name);
  });

  test('a name cannot send escape sequences to the terminal', async () => {
    await createWebhook('evil \u001b]0;owned\u0007 \u202e txt');
    const { stdout } = await run(['webhooks', 'list', '--name', 'evil'], { columns: 200 });
    expect(stdout).toContain('evil \\u001b]0;owned\\u0007 \\u202e txt');
    expect(stdout).not.toContain('\u0007');
  });
});
