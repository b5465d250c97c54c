import { useTestDatabase } from '@tocsin/testing/database';
import type { ClaimedDelivery } from '../src/delivery/claimed-delivery.js';
import type { Attempt, Failure, Outcome } from '../src/delivery/outcome.js';
import type { OutcomeRecord } from '../src/delivery/record-repository.js';
import { createAttempt } from './support/attempt.js';
import { useDatabaseFixtures } from './support/database-fixtures.js';

const db = useTestDatabase();
const fixtures = useDatabaseFixtures(db, { each: 'file' });

const minuteMs = 60_000;
const serverError: Failure = { code: 'http_status', error: 'The destination responded with status 500.' };
const refused: Failure = { code: 'connection_refused', error: 'The connection was refused.' };
const succeeded: Outcome = { kind: 'succeeded' };
const retry = (failure: Failure): Outcome => ({ kind: 'retry', afterMs: 60_000, step: 1, failure });

/** Creates an attempt that ended `endedMsAgo` milliseconds ago. */
function attempt(failure: Failure | undefined, endedMsAgo: number): Attempt {
  const statusCode = failure === undefined ? 200 : 500;
  return createAttempt({
    startedAt: new Date(Date.now() - endedMsAgo - 10),
    durationMs: 10,
    response: failure === refused ? undefined : { statusCode, body: '', truncated: false },
    failure,
  });
}

async function claim(webhookId: string): Promise<ClaimedDelivery> {
  const planned = fixtures.plan([webhookId], { state: 'queued' });
  await fixtures.write([planned]);
  return fixtures.claimOne({ deliveryId: planned.deliveries[0]!.id, run: 1 });
}

/** Records outcomes of one webhook in one batch: a retry for an entry with a failure, a success for any other entry. */
async function record(
  webhookId: string,
  ...outcomes: { failure?: Failure; endedMsAgo?: number }[]
): Promise<void> {
  const records: OutcomeRecord[] = [];
  for (const { failure, endedMsAgo = 0 } of outcomes)
    records.push({
      claimed: await claim(webhookId),
      outcome: failure ? retry(failure) : succeeded,
      attempt: attempt(failure, endedMsAgo),
    });
  await fixtures.records.record(records);
}

const healthOf = async (webhookId: string) =>
  db.database.knex('webhook_health').where({ webhook_id: webhookId }).first();

test('a webhook is failing from the first failure after a success until the next success', async () => {
  const id = await fixtures.addWebhook();
  await record(id, {});
  const healthy = await healthOf(id);
  expect(healthy).toMatchObject({ failing: false, error_code: null });
  await record(id, { failure: serverError });
  const failing = await healthOf(id);
  expect(failing).toMatchObject({ failing: true, error_code: 'http_status', error: serverError.error });
  expect(failing.since.getTime()).toBeGreaterThan(healthy.since.getTime());
  await record(id, { failure: refused });
  const later = await healthOf(id);
  expect(later).toMatchObject({ failing: true, since: failing.since, error_code: refused.code });
  await record(id, {});
  const recovered = await healthOf(id);
  const { error, error_at } = later;
  expect(recovered).toMatchObject({ failing: false, error_code: refused.code, error, error_at });
  expect(recovered.since.getTime()).toBeGreaterThan(failing.since.getTime());
  await record(id, { failure: refused });
  expect(await healthOf(id)).toMatchObject({ failing: true, error_code: refused.code });
});

test('the latest outcome of a batch decides if a webhook is failing, and since when', async () => {
  const [mixed, failing, recovered] = [
    await fixtures.addWebhook(),
    await fixtures.addWebhook(),
    await fixtures.addWebhook(),
  ];
  await record(
    mixed,
    { failure: serverError, endedMsAgo: 3 * minuteMs },
    { endedMsAgo: 2 * minuteMs },
    { failure: refused, endedMsAgo: minuteMs },
  );
  await record(
    failing,
    { failure: refused, endedMsAgo: minuteMs },
    { failure: serverError, endedMsAgo: 5 * minuteMs },
  );
  await record(recovered, { failure: refused, endedMsAgo: 3 * minuteMs }, { endedMsAgo: minuteMs });
  const minutesAgo = (at: Date) => Math.round((Date.now() - at.getTime()) / minuteMs);
  const shown = async (id: string) => {
    const { failing, since, error_code, error_at } = await healthOf(id);
    return [failing, minutesAgo(since), error_code, minutesAgo(error_at)];
  };
  expect(await shown(mixed)).toEqual([true, 1, refused.code, 1]);
  expect(await shown(failing)).toEqual([true, 5, refused.code, 1]);
  expect(await shown(recovered)).toEqual([false, 1, refused.code, 3]);
});

test.each([
  ['in the same batch', [{ endedMsAgo: 2_000 }, { failure: refused, endedMsAgo: 1_000 }], 1],
  ['in an earlier batch', [{ endedMsAgo: 90_000 }], 60],
] as const)('a success that a failure %s followed starts a new failure', async (_, batch, since) => {
  const id = await fixtures.addWebhook();
  await record(id, { failure: refused, endedMsAgo: 10 * minuteMs });
  await record(id, { failure: refused, endedMsAgo: minuteMs });
  await record(id, ...batch);
  const health = await healthOf(id);
  expect(health.failing).toBe(true);
  expect(Math.abs(Date.now() - health.since.getTime() - since * 1_000)).toBeLessThan(20_000);
});

test('an attempt that ended before the last recorded one does not change the health', async () => {
  const id = await fixtures.addWebhook();
  await record(id, {});
  const { since, last_attempt_at } = await healthOf(id);
  await record(id, { failure: refused, endedMsAgo: 10_000 });
  expect(await healthOf(id)).toMatchObject({ failing: false, since, last_attempt_at });
});

test.each([
  ['template_error', true],
  ['invalid_json', true],
  ['expired', false],
  ['webhook_deleted', false],
] as const)(
  'a delivery that ends as %s without a request marks its webhook as failing: %s',
  async (code, fails) => {
    const id = await fixtures.addWebhook();
    const outcome: Outcome = { kind: 'failed', failure: { code, error: 'Not sent.' } };
    await fixtures.records.record([{ claimed: await claim(id), outcome, attempt: undefined }]);
    expect(await healthOf(id)).toEqual(
      fails ? expect.objectContaining({ failing: true, error_code: code }) : undefined,
    );
  },
);

test('an unchanged health is written at most once a minute', async () => {
  const id = await fixtures.addWebhook();
  await record(id, {});
  const version = async () =>
    (await db.database.knex.raw('select xmin::text as v from webhook_health where webhook_id = ?', [id]))
      .rows[0].v;
  const first = await version();
  await record(id, {}, {});
  await record(id, {});
  expect(await version()).toBe(first);
  await record(id, { failure: serverError });
  const failing = await version();
  await record(id, { failure: serverError });
  expect(await version()).toBe(failing);
  await record(id, {});
  const recovered = await version();
  // After the recovery, the row still contains the last error. A further success must not write the row only because
  // the success has no error.
  await record(id, {});
  expect([await version(), recovered === failing]).toEqual([recovered, false]);
  const longAgo = new Date(Date.now() - 61_000);
  await db.database.knex('webhook_health').where({ webhook_id: id }).update({ last_attempt_at: longAgo });
  const { since } = await healthOf(id);
  await record(id, {});
  const health = await healthOf(id);
  expect(health.since).toEqual(since);
  expect(health.last_attempt_at.getTime()).toBeGreaterThan(longAgo.getTime());
});

test.each([
  ['sentence', { ...serverError, error: 'The destination responded with status 503.' }],
  ['code', { ...serverError, code: 'invalid_response' }],
] as const)('the health shows the last error at once, even if only its %s is new', async (_, other) => {
  const id = await fixtures.addWebhook();
  await record(id, { failure: serverError });
  await record(id, { failure: other });
  expect(await healthOf(id)).toMatchObject({ error_code: other.code, error: other.error });
});

test('batches of two workers with the same webhooks do not deadlock', async () => {
  const ids = await Promise.all(Array.from({ length: 10 }, () => fixtures.addWebhook()));
  const batch = async (order: string[], failure: Failure | undefined): Promise<OutcomeRecord[]> => {
    const claims = await Promise.all(order.map(claim));
    return claims.map((claimed) => ({
      claimed,
      outcome: failure ? retry(failure) : succeeded,
      attempt: attempt(failure, 0),
    }));
  };
  for (let round = 0; round < 5; round += 1) {
    const [one, other] = [await batch(ids, serverError), await batch([...ids].reverse(), undefined)];
    await Promise.all([fixtures.records.record(one), fixtures.records.record(other)]);
  }
  expect((await healthOf(ids[0]!)).webhook_id).toBe(ids[0]);
});

test('first_succeeded_at is the time of the response, and not of the commit', async () => {
  const claimed = await claim(await fixtures.addWebhook());
  await fixtures.records.record([{ claimed, outcome: succeeded, attempt: attempt(undefined, 700) }]);
  const { first_succeeded_at } = await fixtures.delivery(claimed.deliveryId);
  const { rows } = await db.database.knex.raw('select now() as now');
  const msAgo = rows[0].now.getTime() - first_succeeded_at.getTime();
  expect(msAgo).toBeGreaterThanOrEqual(700);
  expect(msAgo).toBeLessThan(3_000);
});
