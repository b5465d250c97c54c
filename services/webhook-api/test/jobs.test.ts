import { randomUUID } from 'node:crypto';
import type { Cancellation, Delivery, Dispatch } from '@tocsin/contracts';
import { createOpenDeliveryCounts, runJobPage } from '@tocsin/deliveries';
import { insertAlertRule, insertWebhook, insertWorker, untilLockWaits } from '@tocsin/testing/database';
import { otherWorkspaceId, type Problem, useApi, workspaceId } from './support/api.js';
import { seedAlert, seedDelivery } from './support/history.js';

const dispatches = `/api/v1/workspaces/${workspaceId}/dispatches`;
const cancellations = `/api/v1/workspaces/${workspaceId}/cancellations`;
const redeliveries = `/api/v1/workspaces/${workspaceId}/redeliveries`;

const api = useApi();
beforeEach(() => api.database.knex.raw('truncate alerts, alert_keys, deliveries, open_deliveries, jobs'));

/** Runs all jobs to their end, with the function that the leader calls. */
async function work(): Promise<void> {
  const counts = createOpenDeliveryCounts(api.database, api.config.limits.openDeliveries);
  while ((await runJobPage(api.database, { pageSize: 2, counts })) !== undefined);
}

test('a dispatch job creates deliveries for the alerts that match, and reports its progress', async () => {
  const alertRuleId = await insertAlertRule(api.database, {
    workspaceId,
    webhookIds: [await insertWebhook(api.database, { workspaceId })],
  });
  for (let count = 0; count < 3; count += 1)
    await seedAlert(api.database, { outcome: 'rule_disabled', alertRuleId });
  await seedAlert(api.database, { outcome: 'suppressed', alertRuleId });
  const body = { outcome: 'rule_disabled', alert_rule_id: alertRuleId };
  const accepted = await api.call<Dispatch>('POST', dispatches, { body, as: 'responder' });
  expect(accepted.status).toBe(202);
  expect(accepted.body).toMatchObject({ matched: 3, done: 0, status: 'running', filter: body });
  const url = accepted.headers.get('location') ?? '';
  expect(url).toBe(`${dispatches}/${accepted.body.id}`);
  await work();
  expect((await api.call<Dispatch>('GET', url)).body).toMatchObject({ done: 3, status: 'done' });
  expect(await api.database.knex('open_deliveries')).toHaveLength(3);
  expect((await api.call<Dispatch[]>('GET', dispatches)).body.map(({ id }) => id)).toEqual([
    accepted.body.id,
  ]);
  expect((await api.call('DELETE', url)).status).toBe(409);
});

test('a cancellation job ends the open deliveries that match its filter', async () => {
  const webhookId = randomUUID();
  for (let count = 0; count < 3; count += 1)
    await seedDelivery(api.database, { webhookId, status: 'open', acceptedAtMs: Date.now() - 1_000 });
  const other = await seedDelivery(api.database, { status: 'open' });
  const body = { webhook_id: webhookId };
  const accepted = await api.call<Cancellation>('POST', cancellations, { body, as: 'responder' });
  expect(accepted.body).toMatchObject({ matched: 3, status: 'running', filter: body });
  await work();
  const deliveries = `/api/v1/workspaces/${workspaceId}/deliveries?status=skipped`;
  const skipped = (await api.call<Delivery[]>('GET', deliveries)).body;
  expect(skipped).toHaveLength(3);
  for (const delivery of skipped)
    expect(delivery).toMatchObject({ error_code: 'cancelled', next_attempt_at: null, waiting_reason: null });
  expect(await api.database.knex('open_deliveries').pluck('delivery_id')).toEqual([other]);
});

test('an open delivery can be cancelled once, and not while it is being sent', async () => {
  const cancel = (id: string, as: 'responder' | 'reader' = 'responder') =>
    api.call<Delivery & Pick<Problem, 'detail'>>('POST', `/api/v1/deliveries/${id}/cancel`, { as });
  const id = await seedDelivery(api.database, { status: 'open' });
  expect((await cancel(id, 'reader')).status).toBe(403);
  const { status, body } = await cancel(id);
  expect([status, body.status, body.error_code]).toEqual([202, 'skipped', 'cancelled']);
  const again = await cancel(id);
  expect([again.status, again.body.detail]).toEqual([409, expect.stringContaining('ended already')]);
  const claimed_by = await insertWorker(api.database);
  const sending = await seedDelivery(api.database, { status: 'open', open: { state: 'queued', claimed_by } });
  const rejected = await cancel(sending);
  expect([rejected.status, rejected.body.detail]).toEqual([409, expect.stringContaining('being sent')]);
  expect((await cancel(randomUUID())).status).toBe(404);
});

test('a job cannot be read or cancelled as a job of another kind', async () => {
  const { body } = await api.call<Dispatch>('POST', dispatches, { body: { all: true } });
  expect((await api.call('GET', `${cancellations}/${body.id}`)).status).toBe(404);
  expect((await api.call('DELETE', `${redeliveries}/${body.id}`)).status).toBe(404);
  const ofOtherKind = await api.call('GET', `${cancellations}?count=true`);
  expect([ofOtherKind.body, ofOtherKind.headers.get('x-total-count')]).toEqual([[], '0']);
  const cancelled = await api.call<Dispatch>('DELETE', `${dispatches}/${body.id}`);
  expect([cancelled.status, cancelled.body.status]).toEqual([200, 'cancelled']);
});

test.each([
  ['no filter', {}],
  ['all: false alone', { all: false }],
  ['an unknown member', { webhook: randomUUID() }],
  ['an outcome of a dispatched alert', { outcome: 'dispatched' }],
  ['a status', { status: 'failed' }],
  ['SQL', { alert_rule_id: `'; drop table jobs; --` }],
  ['null', { since: null }],
  ['a time without a zone', { until: '2025-01-01T00:00:00' }],
  ['an array', [{ all: true }]],
])('a job request with %s is rejected and creates no job', async (_, body) => {
  for (const path of [dispatches, cancellations])
    expect([path, (await api.call('POST', path, { body })).status]).toEqual([path, 422]);
  expect(await api.database.knex('jobs')).toEqual([]);
});

test('jobs need the permission to redeliver in their workspace', async () => {
  for (const path of [dispatches, cancellations]) {
    for (const as of ['reader', 'publisher', 'outsider'] as const)
      expect((await api.call('POST', path, { as, body: { all: true } })).status).toBe(403);
    const { body } = await api.call<Dispatch>('POST', path, { body: { all: true } });
    const elsewhere = path.replace(workspaceId, otherWorkspaceId);
    expect((await api.call('GET', `${elsewhere}/${body.id}`, { as: 'outsider' })).status).toBe(404);
  }
});

test('concurrent additions do not exceed ten running jobs, and the 409 names the remedies', async () => {
  const add = () => api.call<Problem>('POST', dispatches, { body: { all: true } });
  for (let count = 0; count < 9; count += 1) expect((await add()).status).toBe(202);
  const blocking = await api.database.knex.transaction();
  // Each addition waits for this lock after it has counted the running jobs.
  await blocking.raw('lock table audit_events in share mode');
  const additions = Promise.all([add(), add()]);
  await untilLockWaits(api.database, { sessions: 2 });
  await blocking.commit();
  const [added, rejected] = (await additions).toSorted((a, b) => a.status - b.status);
  expect([added?.status, rejected?.status]).toEqual([202, 409]);
  expect(rejected?.body.detail).toBe(
    'This workspace has 10 running jobs; wait until one of them has ended, or cancel one with DELETE.',
  );
});

test.each(['redeliveries', 'dispatches', 'cancellations'])(
  'an until that is not in the past does not replace all in a request for %s',
  async (plural) => {
    const add = (body: object) =>
      api.call<Problem>('POST', `/api/v1/workspaces/${workspaceId}/${plural}`, { body });
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const rejected = await add({ until });
    expect([rejected.status, rejected.body.errors?.[0]?.message]).toEqual([
      422,
      expect.stringMatching(/"all": true to .+; an until that is not in the past is no filter$/),
    ]);
    for (const body of [{ until, all: true }, { until: '2026-01-01T00:00:00Z' }, { until, since: until }])
      expect((await add(body)).status).toBe(202);
  },
);
