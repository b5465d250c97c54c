import { type Problem, useApi } from './support/api.js';
import { seedDelivery } from './support/history.js';
import { optionDefaults } from './support/webhook.js';
import { createWebhookCalls, webhooks } from './support/webhook-calls.js';

const all = {
  retry_schedule_ms: [1_000, 43_200_000],
  timeout_ms: 20_000,
  rate_limit: { requests: 1_000, period_ms: 3_600_000 },
  signing: true,
  idempotency_header: 'X-Delivery',
};

const api = useApi();
let calls: ReturnType<typeof createWebhookCalls>;
beforeAll(() => {
  calls = createWebhookCalls(api);
});

const ahead = (ms: number) => new Date(Date.now() + ms).toISOString();

describe('the options of a webhook', () => {
  test('webhook options are off by default, are saved, and null restores the default', async () => {
    const plain = await calls.create();
    expect(plain).toMatchObject(optionDefaults);
    const saved = await calls.create({ ...all, headers: { 'Content-Type': ['application/json'] } });
    expect(saved).toMatchObject(all);
    expect(saved.warnings).toEqual([expect.stringContaining('signing')]);
    expect(await calls.read(saved.id)).toMatchObject(all);
    const { disabled_reason, ...writable } = optionDefaults;
    expect((await calls.patch(saved.id, writable)).body).toMatchObject({ ...optionDefaults, name: 'Hook' });
    expect((await calls.patch(plain.id, all)).body).toMatchObject(all);
    expect((await calls.patch(plain.id, { name: 'Renamed' })).body).toMatchObject(all);
  });

  test.each([
    ['a schedule of 11 steps', { retry_schedule_ms: Array(11).fill(1_000) }],
    ['a step below a second', { retry_schedule_ms: [999] }],
    ['a step above 12 hours', { retry_schedule_ms: [43_200_001] }],
    ['a step that is no integer', { retry_schedule_ms: [1_000.5] }],
    ['a step that is null', { retry_schedule_ms: [null] }],
    ['a schedule of 24 hours', { retry_schedule_ms: [43_200_000, 43_200_000] }],
    ['a schedule as text', { retry_schedule_ms: '1000' }],
    ['a timeout below a second', { timeout_ms: 999 }],
    ['a timeout above 20 s', { timeout_ms: 20_001 }],
    ['a timeout that is NaN', { timeout_ms: 'NaN' }],
    ['a limit of no request', { rate_limit: { requests: 0, period_ms: 1_000 } }],
    ['a limit of 1,001 requests', { rate_limit: { requests: 1_001, period_ms: 1_000 } }],
    ['a period below a second', { rate_limit: { requests: 1, period_ms: 999 } }],
    ['a period above an hour', { rate_limit: { requests: 1, period_ms: 3_600_001 } }],
    ['a limit without a period', { rate_limit: { requests: 1 } }],
    ['a limit with a further member', { rate_limit: { requests: 1, period_ms: 1_000, burst: 2 } }],
    ['signing as text', { signing: 'true' }],
    ['signing that is null', { signing: null }],
    ['an idempotency header of the connection', { idempotency_header: 'Host' }],
    ['an idempotency header of the signature', { idempotency_header: 'Webhook-ID' }],
    ['an idempotency header that is configured', { idempotency_header: 'x-team' }],
    ['an idempotency header with a line end', { idempotency_header: 'X\r\nY' }],
    ['an empty idempotency header', { idempotency_header: '' }],
    ['a header of the signature', { signing: true, headers: { 'Webhook-Id': ['mine'] } }],
    ['a pause of eight days', { paused_until: new Date(Date.now() + 8 * 86_400_000).toISOString() }],
    ['a pause until the year 0 in UTC', { paused_until: '0001-01-01T00:00:00+23:59' }],
    ['a pause without a zone', { paused_until: '2026-01-01T00:00:00' }],
    ['a disabled reason', { disabled_reason: 'mine' }],
  ])('a webhook with %s is rejected and not changed', async (_, change) => {
    const { id } = await calls.create({ headers: { 'X-Team': ['a'] } });
    const before = await calls.read(id);
    const rejected = await calls.patch(id, { name: 'Renamed', ...change });
    expect([rejected.status, rejected.body.code]).toEqual([422, 'validation_failed']);
    expect(await calls.read(id)).toEqual(before);
    const body = {
      name: 'H',
      url: 'http://127.0.0.1:9/',
      body: '{}',
      headers: { 'x-team': ['a'] },
      ...change,
    };
    expect((await api.call('POST', webhooks, { body })).status).toBe(422);
  });

  test('the errors of all options are reported together with those of the schema', async () => {
    const { id } = await calls.create({ idempotency_header: 'X-Delivery' });
    const wrong = {
      timeout_ms: 1,
      retry_schedule_ms: [43_200_000, 43_200_000],
      paused_until: ahead(8 * 86_400_000),
      signing: true,
      headers: { 'webhook-id': ['a'], 'x-delivery': ['b'] },
    };
    const paths = [
      '/headers/webhook-id',
      '/idempotency_header',
      '/paused_until',
      '/retry_schedule_ms',
      '/timeout_ms',
    ];
    const pathsOf = ({ errors = [] }: Problem) => errors.map(({ path }) => path).sort();
    expect(pathsOf((await calls.patch(id, wrong)).body)).toEqual(paths);
    const body = {
      name: 'H',
      url: 'http://127.0.0.1:9/',
      body: '{}',
      idempotency_header: 'x-delivery',
      ...wrong,
    };
    expect(pathsOf((await api.call<Problem>('POST', webhooks, { body })).body)).toEqual(paths);
    const types = {
      ...wrong,
      retry_schedule_ms: 'daily',
      paused_until: 1,
      signing: 'yes',
      headers: { a: 'b' },
    };
    expect(pathsOf((await calls.patch(id, types)).body)).toEqual([
      '/headers/a',
      '/paused_until',
      '/retry_schedule_ms',
      '/signing',
      '/timeout_ms',
    ]);
  });

  test('a conflict of two options is found even if only one of them is in the request', async () => {
    const { id } = await calls.create({ idempotency_header: 'X-Delivery' });
    expect((await calls.patch(id, { headers: { 'x-delivery': ['a'] } })).status).toBe(422);
    expect((await calls.patch(id, { headers: { 'webhook-signature': ['a'] } })).status).toBe(200);
    const { status, body } = await calls.patch(id, { signing: true });
    expect([status, body.errors?.[0]?.path]).toEqual([422, '/headers/webhook-signature']);
  });

  test('the row of a rate limit exists while the webhook is enabled and has the limit', async () => {
    const limit = { requests: 5, period_ms: 1_000 };
    const { id } = await calls.create({ rate_limit: limit });
    expect(await calls.row('webhook_rate_limits', id)).toMatchObject(limit);
    await calls.patch(id, { enabled: false });
    expect(await calls.row('webhook_rate_limits', id)).toBeUndefined();
    await calls.patch(id, { enabled: true });
    expect(await calls.row('webhook_rate_limits', id)).toMatchObject(limit);
    await api.database
      .knex('webhook_rate_limits')
      .where({ webhook_id: id })
      .update({ next_at: '2999-01-01' });
    await calls.patch(id, { name: 'Renamed' });
    expect((await calls.row('webhook_rate_limits', id)).next_at).toEqual(new Date('2999-01-01'));
    // The next request is at most one interval ahead: the period of an hour divided by the ten requests.
    const intervalMs = 360_000;
    await calls.patch(id, { rate_limit: { requests: 10, period_ms: 10 * intervalMs } });
    const nextAtMs = async () => (await calls.row('webhook_rate_limits', id)).next_at.getTime();
    expect(Math.abs((await nextAtMs()) - Date.now() - intervalMs)).toBeLessThan(60_000);
    const earlier = await nextAtMs();
    await calls.patch(id, { rate_limit: { requests: 1, period_ms: 10 * intervalMs } });
    expect(await nextAtMs()).toBe(earlier);
    await calls.patch(id, { rate_limit: null });
    expect(await calls.row('webhook_rate_limits', id)).toBeUndefined();
  });

  test('a due delivery waits with the reason rate_limit only while the limit allows no request', async () => {
    const { id: webhookId } = await calls.create({ rate_limit: { requests: 5, period_ms: 1_000 } });
    const nextAt = (next_at: string) =>
      api.database.knex('webhook_rate_limits').where({ webhook_id: webhookId }).update({ next_at });
    const seed = (open: object) => seedDelivery(api.database, { webhookId, status: 'open', open });
    const reasonOf = async (id: string) =>
      (await api.call<{ waiting_reason: string }>('GET', `/api/v1/deliveries/${id}`)).body.waiting_reason;
    const due = await seed({ due_at: new Date(0), waiting_reason: 'no_slot' });
    const limited = await seed({ due_at: new Date(0), waiting_reason: 'rate_limit' });
    await nextAt('2020-01-01');
    expect([await reasonOf(due), await reasonOf(limited)]).toEqual(['no_slot', 'backlog']);
    await nextAt('2999-01-01');
    expect([await reasonOf(due), await reasonOf(limited)]).toEqual(['rate_limit', 'rate_limit']);
    expect(await reasonOf(await seed({ waiting_reason: 'retry' }))).toBe('retry');
    await calls.patch(webhookId, { paused_until: ahead(60_000) });
    expect(await reasonOf(await seed({ due_at: new Date(0), waiting_reason: 'backlog' }))).toBe('paused');
  });
});

describe('a manual pause', () => {
  test('a manual pause is shown until its end, and a change of the URL does not end it', async () => {
    const until = ahead(60_000);
    const { id, paused } = await calls.create({ paused_until: until });
    expect(paused).toMatchObject({ reason: 'manual', until, error: null });
    const changed = await calls.patch(id, { url: 'http://127.0.0.1:9/other' });
    expect(changed.body).toMatchObject({ paused_until: until, paused: { reason: 'manual', until } });
    const longer = ahead(120_000);
    const extended = (await calls.patch(id, { paused_until: longer })).body.paused;
    expect(extended).toMatchObject({ until: longer, since: paused?.since });
    expect((await calls.patch(id, { paused_until: null })).body).toMatchObject({
      paused: null,
      paused_until: null,
    });
    expect(await calls.row('webhook_pauses', id)).toBeUndefined();
    expect((await calls.patch(id, { paused_until: ahead(-60_000) })).body.paused).toBeNull();
  });

  test('a manual pause replaces a circuit pause, and deliveries become due when a user ends it', async () => {
    const { id: webhookId } = await calls.create();
    const circuit = {
      webhook_id: webhookId,
      reason: 'circuit',
      paused_until: ahead(600_000),
      times: 3,
      error: 'e',
    };
    await api.database.knex('webhook_pauses').insert(circuit);
    const open = { due_at: ahead(60_000), waiting_reason: 'paused' };
    const id = await seedDelivery(api.database, { webhookId, status: 'open', open });
    expect((await calls.patch(webhookId, { paused_until: ahead(60_000) })).body.paused).toMatchObject({
      error: null,
    });
    await calls.patch(webhookId, { paused_until: null });
    const [waiting] = await api.database.knex('open_deliveries').where({ delivery_id: id });
    expect(waiting.due_at.getTime()).toBeLessThan(Date.now() + 1_000);
  });

  test('setting paused_until to null after the end of a manual pause ends no circuit pause', async () => {
    const { id: webhookId } = await calls.create({ paused_until: ahead(-60_000) });
    const circuit = { webhook_id: webhookId, reason: 'circuit', paused_until: ahead(600_000), times: 3 };
    await api.database.knex('webhook_pauses').insert(circuit);
    expect((await calls.patch(webhookId, { paused_until: null })).body.paused).toMatchObject({
      reason: 'circuit',
    });
  });

  test('disabling a paused webhook makes its deliveries due, and enabling it continues the pause', async () => {
    const until = ahead(60_000);
    const { id: webhookId } = await calls.create({ paused_until: until });
    const open = { due_at: until, waiting_reason: 'paused' };
    const id = await seedDelivery(api.database, { webhookId, status: 'open', open });
    const disabled = (await calls.patch(webhookId, { enabled: false })).body;
    expect(disabled).toMatchObject({ paused: null, paused_until: until });
    expect(await calls.row('webhook_pauses', webhookId)).toBeUndefined();
    const [waiting] = await api.database.knex('open_deliveries').where({ delivery_id: id });
    expect(waiting.due_at.getTime()).toBeLessThan(Date.now() + 1_000);
    const enabled = (await calls.patch(webhookId, { enabled: true })).body;
    expect(enabled.paused).toMatchObject({ reason: 'manual', until });
    const created = await calls.create({ paused_until: until, enabled: false });
    expect(created).toMatchObject({ paused: null, paused_until: until });
  });

  test('manual pauses are kept for 90 days; if a webhook has more than 100, they become one', async () => {
    const { id } = await calls.create({ paused_until: ahead(60_000) });
    await calls.patch(id, { paused_until: null });
    await calls.patch(id, { paused_until: ahead(60_000) });
    const pauses = async () =>
      (
        await api.database.knex.raw(
          `select extract(epoch from upper(p) - lower(p))::float8 as seconds
           from webhooks cross join lateral unnest(manual_pauses) p where id = ? order by lower(p)`,
          [id],
        )
      ).rows.map(({ seconds }: { seconds: number }) => Math.round(seconds));
    expect(await pauses()).toEqual([0, 60]);
    await calls.patch(id, { paused_until: ahead(120_000) });
    expect(await pauses()).toEqual([0, 120]);
    const setPauses = (count: number) =>
      api.database.knex.raw(
        `update webhooks set manual_pauses = (
           select range_agg(tstzrange(at, at + interval '1 second'))
           from generate_series(now() - :count * interval '1 hour', now() - interval '1 hour', interval '1 hour') at)
         where id = :id`,
        { id, count },
      );
    await setPauses(99);
    await calls.patch(id, { paused_until: ahead(60_000) });
    expect(await pauses()).toHaveLength(100);
    await setPauses(100);
    await calls.patch(id, { paused_until: ahead(120_000) });
    expect(await pauses()).toHaveLength(1);
    await api.database.knex.raw(
      `update webhooks set manual_pauses = tstzmultirange(
         tstzrange(now() - interval '93 days', now() - interval '92 days'),
         tstzrange(now() - interval '91 days', now() - interval '89 days')) where id = ?`,
      [id],
    );
    await calls.patch(id, { paused_until: null });
    // The first pause ended more than 90 days ago and is removed. The second pause is reduced to its part within the
    // last 90 days: a day.
    expect(await pauses()).toEqual([expect.closeTo(86_400, -2)]);
  });
});
