import { randomUUID } from 'node:crypto';
import { createTestBroker } from '@tocsin/testing/broker';
import { insertAlert, insertAttempt, insertDelivery } from '@tocsin/testing/database';
import { type Named, useCliStack } from './support/cli-stack.js';

const stack = useCliStack();
const { run, runJson, createWebhook } = stack;

describe('rules, alerts and deliveries', () => {
  test('`alerts fire` publishes alerts that are given in flags or in a file', async () => {
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

  test('`rules create --from` accepts the output of `rules get --json`', async () => {
    const fields = { name: 'r', model_id: randomUUID(), threshold: 1, bound: 'lower_bound' };
    const made = await runJson<Named>(['rules', 'create', '--from', '-'], { stdin: JSON.stringify(fields) });
    const { stdout: stdin } = await run(['rules', 'get', made.id, '--json']);
    const copy = await runJson<Named>(['rules', 'create', '--from', '-', '--name', 'copy'], { stdin });
    expect(copy).toMatchObject({ ...fields, name: 'copy' });
  });

  test('`alerts fire` sends state, labels and annotations; `alerts get` shows state and labels', async () => {
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
    const rejected = await run(['alerts', 'fire', ...rule, ...more]);
    expect(rejected).toMatchObject({ code: 6, stderr: expect.stringContaining('/alert_rule_id') });
    expect((await run(['alerts', 'fire', ...rule, '--label', '=x'])).stderr).toContain('name=value');
    const { alertId } = await insertAlert(stack.services.database, {
      workspaceId: stack.workspace,
      labels: alert.labels,
    });
    const shown = await run(['alerts', 'get', alertId]);
    expect(shown.stdout).toMatch(/^state +firing\nlabels +team: risk\n/m);
  });

  test('`alerts fire --amqp` publishes alerts to the broker without the API', async () => {
    const { url } = await createTestBroker();
    const env = { TOCSIN_AMQP_URL: url, TOCSIN_WORKSPACE: stack.workspace, TOCSIN_STACK: '' };
    const alert = { alert_rule_id: randomUUID(), model_id: randomUUID(), model_name: 'm', metric_value: 1 };
    const stdin = [alert, alert].map((one) => JSON.stringify(one)).join('\n');
    const fire = (...flags: string[]) => run(['alerts', 'fire', '-', '--amqp', ...flags], { env, stdin });
    for (const flags of [[], ['--no-declare']]) {
      const { code, stdout } = await fire(...flags);
      expect({ code, lines: stdout.trim().split('\n').length }).toEqual({ code: 0, lines: 2 });
    }
    const wrong = Object.assign(new URL(url), { password: 'wrong' }).href;
    const rejected = await run(['alerts', 'fire', '-', '--amqp'], {
      env: { ...env, TOCSIN_AMQP_URL: wrong },
      stdin,
    });
    expect(rejected).toMatchObject({ code: 3, stderr: expect.stringContaining('ACCESS_REFUSED') });
  });

  test('`alerts fire --batch` publishes the alerts of a file in batches and names a rejected alert', async () => {
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

  test('`alerts fire` names a rejected alert in its error and publishes all other alerts', async () => {
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

  test('a command that lists nothing prints a message to stderr, or [] to stdout with --json', async () => {
    const none = ['--webhook', randomUUID()];
    expect(await run(['deliveries', 'list', ...none])).toMatchObject({
      stdout: '',
      stderr: 'No deliveries.\n',
    });
    expect(await runJson(['deliveries', 'list', ...none, '--since', '2h'])).toEqual([]);
    expect(await runJson(['dead-letters', 'list'])).toEqual([]);
    expect(await runJson(['alerts', 'list', '--rule', randomUUID()])).toEqual([]);
  });

  test('pauses, waiting reasons and likely causes of errors are printed as text', async () => {
    const { id: webhookId } = await createWebhook('paused');
    const pause = { reason: 'retry_after', error: 'The destination responded with status 429.', times: 1 };
    const pausedUntil = new Date('2100-01-01T00:00:00Z');
    await stack.services.database
      .knex('webhook_pauses')
      .insert({ webhook_id: webhookId, paused_until: pausedUntil, ...pause });
    const webhook = await run(['webhooks', 'get', webhookId]);
    expect(webhook.stdout).toMatch(
      /^paused .*until 2100-01-01.*asked for it with Retry-After \(.*status 429/m,
    );
    expect((await run(['webhooks', 'list', '--name', 'paused'])).stdout).toMatch(/ paused +/);

    const responseHeaders = { location: 'https://new.example/' };
    const redirect = { response: '', statusCode: 302, responseHeaders };
    const deliveryId = await insertDelivery(stack.services.database, {
      workspaceId: stack.workspace,
      webhookId,
      status: 'open',
      claims: 1,
    });
    await insertAttempt(stack.services.database, {
      workspaceId: stack.workspace,
      id: deliveryId,
      number: 1,
      ...redirect,
    });
    const { stdout } = await run(['deliveries', 'get', deliveryId]);
    expect(stdout).toMatch(/^waiting +the webhook is paused$/m);
    expect(stdout).toMatch(/^likely cause +The destination redirects/m);
    expect(stdout).toMatch(/^location +https:\/\/new\.example\/$/m);
  });

  test('`deliveries redeliver` requires ids or a filter, and creates a job for a filter', async () => {
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
