import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { insertAlert, insertAlertRule, insertDelivery, insertWebhook } from '@tocsin/testing/database';
import { cli } from './support/cli.js';
import { startServices } from './support/services.js';

type Services = Awaited<ReturnType<typeof startServices>>;
let services: Services;
let stack: string;
const directory = mkdtempSync(join(tmpdir(), 'tocsin-cli-options-'));
const workspaceId = process.env.TOCSIN_TEST_WORKSPACE_ID ?? '';

beforeAll(async () => {
  services = await startServices();
  const [auth_url, realm] = (process.env.TOCSIN_TEST_OIDC_ISSUER ?? '').split('/realms/');
  stack = join(directory, 'stack.json');
  const clients = JSON.parse(process.env.TOCSIN_TEST_OIDC_CLIENTS ?? '{}');
  const file = { api_url: services.apiUrl, auth_url, realm, workspace_id: workspaceId, clients };
  writeFileSync(stack, JSON.stringify(file));
});
afterAll(async () => {
  rmSync(directory, { recursive: true });
  await services.close();
});

const run = (...words: string[]) => cli(words, { env: { TOCSIN_STACK: stack } });

async function runJson<T>(...words: string[]): Promise<T> {
  const { code, stdout, stderr } = await run(...words, '--json');
  if (code !== 0) throw new Error(`${words.join(' ')}: ${code} ${stderr}`);
  return JSON.parse(stdout) as T;
}

const addWebhook = () => insertWebhook(services.database, { workspaceId });

test('flags set optional settings of a webhook and restore their defaults', async () => {
  const id = await addWebhook();
  const update = (...flags: string[]) => runJson('webhooks', 'update', id, ...flags);
  const given = ['--retry-schedule', '5s,1m,1h', '--timeout', '1500ms', '--rate-limit', '10/1m'];
  expect(await update(...given, '--idempotency-header', 'X-Id', '--signing')).toMatchObject({
    retry_schedule_ms: [5_000, 60_000, 3_600_000],
    timeout_ms: 1_500,
    rate_limit: { requests: 10, period_ms: 60_000 },
    idempotency_header: 'X-Id',
    signing: true,
  });
  const { stdout } = await run('webhooks', 'get', id);
  expect(stdout).toMatch(/rate limit +10 in 60000 ms\n/);
  expect(stdout).toMatch(/signing +Standard Webhooks\n/);
  expect(await update('--retry-schedule', 'none')).toMatchObject({ retry_schedule_ms: [] });
  const none = ['--no-retry-schedule', '--no-timeout', '--no-rate-limit', '--no-idempotency-header'];
  expect(await update(...none, '--no-signing')).toMatchObject({
    retry_schedule_ms: null,
    timeout_ms: null,
    rate_limit: null,
    idempotency_header: null,
    signing: false,
  });
  for (const flags of [
    ['--rate-limit', '10'],
    ['--timeout', 'soon'],
    ['--retry-schedule', '5'],
  ])
    expect((await run('webhooks', 'update', id, ...flags)).code).toBe(2);
});

test('a change with --if-match fails if the resource has another ETag', async () => {
  const webhook = await addWebhook();
  const rule = await insertAlertRule(services.database, { workspaceId });
  for (const words of [
    ['webhooks', webhook],
    ['rules', rule],
  ] as const) {
    const [kind, id] = words;
    const { etag } = await runJson<{ etag: string }>(kind, 'get', id);
    const update = () => run(kind, 'update', id, '--name', 'changed', '--if-match', etag);
    expect([kind, (await update()).code, (await update()).code]).toEqual([kind, 0, 7]);
    expect((await run(kind, 'delete', id, '--if-match', etag)).stderr).toContain('"2"');
    expect((await run(kind, 'delete', id, '--if-match', '"2"')).code).toBe(0);
  }
  const { etag } = await runJson<{ etag: string }>('settings', 'get');
  const rename = (name: string) => run('settings', 'update', '--name', name, '--if-match', etag);
  expect([(await rename('a')).code, (await rename('b')).code]).toEqual([0, 7]);
});

test('audit events of a workspace and of the deployment can be listed with filters', async () => {
  const webhook = await addWebhook();
  await run('webhooks', 'update', webhook, '--name', 'audited');
  const list = (...flags: string[]) => runJson('audit', 'list', '--resource', webhook, ...flags);
  const changed = [{ action: 'webhook.updated', resource_id: webhook, changed_fields: ['name'] }];
  expect(await list()).toMatchObject(changed);
  expect(await list('--all', '--action', 'webhook.updated', '--since', '1h')).toMatchObject(changed);
  expect(await list('--principal', 'system')).toEqual([]);
  expect((await run('audit', 'list')).stdout).toMatch(/^TIME +ACTION +RESOURCE +FIELDS +BY +PRINCIPAL\n/);
  expect((await run('audit', 'list', '--action', 'webhook')).code).toBe(6);
  expect((await run('audit', 'list', '--as', 'editor')).code).toBe(4);
});

test('an external id can be set, used as a filter, and removed', async () => {
  const webhook = await addWebhook();
  const rule = await insertAlertRule(services.database, { workspaceId });
  for (const [kind, id] of [
    ['webhooks', webhook],
    ['rules', rule],
  ] as const) {
    await runJson(kind, 'update', id, '--external-id', 'team/one');
    expect(await runJson(kind, 'list', '--external-id', 'team/one')).toMatchObject([{ id }]);
    expect((await run(kind, 'get', id)).stdout).toMatch(/external id +team\/one\n/);
    expect(await runJson(kind, 'update', id, '--no-external-id')).toMatchObject({ external_id: null });
  }
});

test('`webhooks pause` requires an end time, and `webhooks resume` ends the pause', async () => {
  const id = await addWebhook();
  const { paused } = await runJson<{ paused: { reason: string } }>('webhooks', 'pause', id, '--until', '2h');
  expect(paused).toMatchObject({ reason: 'manual' });
  expect((await run('webhooks', 'pause', id)).code).toBe(2);
  expect(await runJson('webhooks', 'resume', id)).toMatchObject({ paused: null, paused_until: null });
});

test('signing secrets are created, listed and deleted', async () => {
  const id = await addWebhook();
  const made = await run('webhooks', 'secrets', 'create', id);
  expect(made.stdout).toMatch(/secret +whsec_/);
  const next = await runJson<{ id: string }>('webhooks', 'secrets', 'create', id, '--expire-others', '1d');
  const listed = await runJson<{ expires_at: string | null }[]>('webhooks', 'secrets', 'list', id);
  expect(listed.map(({ expires_at }) => expires_at === null)).toEqual([false, true]);
  expect((await run('webhooks', 'secrets', 'delete', id, next.id)).code).toBe(0);
  expect((await run('webhooks', 'secrets', 'list', id, '--as', 'responder')).code).toBe(4);
});

test('`rules update` sets and ends the cooldown and the silence of a rule', async () => {
  const id = await insertAlertRule(services.database, { workspaceId });
  const changed = await runJson<{ silenced_until: string }>(
    ...['rules', 'update', id, '--cooldown', '15m', '--silence', '2h'],
  );
  expect(changed).toMatchObject({ cooldown_seconds: 900 });
  expect(Date.parse(changed.silenced_until) - Date.now()).toBeGreaterThan(7_000_000);
  const ended = await runJson('rules', 'update', id, '--cooldown', '0', '--no-silence');
  expect(ended).toMatchObject({ cooldown_seconds: 0, silenced_until: null });
});

test('a responder can cancel deliveries by id and by filter, but a reader cannot cancel any', async () => {
  const webhookId = randomUUID();
  const seed = () => insertDelivery(services.database, { workspaceId, webhookId, status: 'open' });
  const [first, second] = [await seed(), await seed()];
  expect((await run('deliveries', 'cancel', first, '--as', 'reader')).code).toBe(4);
  expect((await run('deliveries', 'cancel', first, '--as', 'responder')).code).toBe(0);
  expect((await run('deliveries', 'cancel')).code).toBe(2);
  expect((await run('deliveries', 'cancel', second, '--all')).code).toBe(2);
  const job = await runJson(
    ...['deliveries', 'cancel', '--webhook', webhookId, '--no-wait', '--as', 'responder'],
  );
  expect(job).toMatchObject({ matched: 1, filter: { webhook_id: webhookId } });
});

test('an empty text or a zero in a flag is rejected and does not restore the default', async () => {
  const id = await addWebhook();
  await runJson('webhooks', 'update', id, '--external-id', 'mine', '--timeout', '5s');
  for (const flags of [
    ['--external-id', ''],
    ['--idempotency-header', ''],
    ['--timeout', '0s'],
  ])
    expect((await run('webhooks', 'update', id, ...flags)).code).toBe(6);
  expect(await runJson('webhooks', 'get', id)).toMatchObject({ external_id: 'mine', timeout_ms: 5_000 });
});

test('the error of a command with several ids names the invalid id', async () => {
  const { code, stderr } = await run('deliveries', 'cancel', 'first', randomUUID());
  expect(code).toBe(6);
  expect(stderr).toMatch(/^first: The path is not valid\. delivery_id must be a UUID\n/);
});

test('jobs of each kind can be listed, shown and cancelled', async () => {
  const start = {
    redelivery: ['deliveries', 'redeliver'],
    dispatch: ['alerts', 'dispatch'],
    cancellation: ['deliveries', 'cancel'],
  };
  for (const [kind, words] of Object.entries(start)) {
    const rule = randomUUID();
    const { stdout } = await run(...words, '--rule', rule, '--no-wait', '--as', 'responder');
    const id = /tocsin jobs get (\S+)/.exec(stdout)?.[1] ?? '';
    expect(await runJson('jobs', 'get', id)).toMatchObject({ id, status: 'running' });
    expect((await run('jobs', 'list', '--kind', kind)).stdout).toContain(`alert_rule_id=${rule}`);
    expect((await run('jobs', 'cancel', id, '--as', 'reader')).code).toBe(4);
    expect((await run('jobs', 'cancel', id)).stdout).toMatch(/status +cancelled\n/);
    expect((await run('jobs', 'cancel', id)).code).toBe(7);
    const others = Object.keys(start).filter((other) => other !== kind);
    for (const other of others)
      expect(await runJson<object[]>('jobs', 'list', '--kind', other)).not.toContainEqual(
        expect.objectContaining({ id }),
      );
  }
  expect((await run('jobs', 'get', randomUUID())).code).toBe(5);
  expect((await run('jobs', 'list')).code).toBe(2);
});

test('`alerts dispatch` with a filter creates a job for the matching alerts', async () => {
  const alertRuleId = await insertAlertRule(services.database, {
    workspaceId,
    webhookIds: [await addWebhook()],
  });
  await insertAlert(services.database, { workspaceId, alertRuleId, outcome: 'suppressed' });
  const job = await runJson(
    ...[
      'alerts',
      'dispatch',
      '--rule',
      alertRuleId,
      '--outcome',
      'suppressed',
      '--no-wait',
      '--as',
      'responder',
    ],
  );
  expect(job).toMatchObject({ matched: 1, filter: { outcome: 'suppressed' } });
  expect((await run('alerts', 'dispatch')).code).toBe(2);
  expect((await run('alerts', 'dispatch', '--outcome', 'dispatched')).code).toBe(2);
});

test('a publisher can list dead letters only with the flag --in-workspace', async () => {
  const words = ['dead-letters', 'list', '--as', 'publisher'];
  expect((await run(...words)).code).toBe(4);
  expect(await runJson(...words, '--in-workspace')).toEqual([]);
});

test('the settings of a workspace can be shown and changed', async () => {
  const id = await addWebhook();
  const changed = await runJson('settings', 'update', '--name', 'Risk', '--notice-webhook', id);
  const etag = expect.stringMatching(/^"\d+"$/);
  expect(changed).toEqual({ name: 'Risk', notice_webhook_ids: [id], etag });
  expect((await run('settings', 'get', '--as', 'reader')).stdout).toMatch(/name +Risk\n/);
  const none = await runJson('settings', 'update', '--no-name', '--no-notice-webhook');
  expect(none).toEqual({ name: null, notice_webhook_ids: [], etag });
  expect((await run('settings', 'update')).code).toBe(2);
});
