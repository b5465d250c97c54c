import { encodePipelineMarker, pipelineMarkerKey } from '@tocsin/contracts';
import { unroutedQueue } from '@tocsin/messaging';
import { until } from '@tocsin/testing';
import { useWorkerHarness } from './support/worker-harness.js';

const harness = useWorkerHarness();
beforeAll(() => harness.startWorker());
beforeEach(() => harness.database.knex('pipeline_marker').delete());

const publish = (content: Buffer) => harness.publishRaw(content, {}, pipelineMarkerKey);
const committedMs = async () =>
  (await harness.database.knex('pipeline_marker').first())?.marked_at.getTime() as number | undefined;
const committed = (ms: number) => until('the marker is committed', async () => (await committedMs()) === ms);
/**
 * Publishes an alert and waits until it is committed. The worker has then processed all earlier messages, because it
 * received them before the alert.
 */
const passed = async () => {
  const alertId = await harness.fire(await harness.addRule([]));
  await until('an alert is committed', () => harness.alertOf(alertId));
};

test('the newest of several markers is kept in any order of arrival, and none becomes an alert', async () => {
  const now = Date.now() - 60_000;
  await publish(encodePipelineMarker(now));
  await committed(now);
  await publish(encodePipelineMarker(now + 5_000));
  await committed(now + 5_000);
  await publish(encodePipelineMarker(now - 5_000));
  await passed();
  expect(await committedMs()).toBe(now + 5_000);
  expect(await harness.database.knex('alerts').count()).toEqual([{ count: '1' }]);
  expect(await harness.database.knex('dead_letters')).toEqual([]);
});

test('a marker with a future time is stored with the current time', async () => {
  await publish(encodePipelineMarker(Date.now() + 86_400_000));
  const first = await until('the marker is committed', committedMs);
  expect(Math.abs(first - Date.now())).toBeLessThan(30_000);
});

test('a marker is not committed while alerts cannot be committed', async () => {
  const now = Date.now() - 60_000;
  const locked = await harness.database.knex.transaction();
  await locked.raw('lock table alerts in access exclusive mode');
  await publish(encodePipelineMarker(now));
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(await committedMs()).toBeUndefined();
  await locked.rollback();
  await committed(now);
});

test('a marker is committed even while the queue of alerts is not bound to the exchange', async () => {
  const now = Date.now() - 60_000;
  await harness.whileUnbound(async () => {
    await publish(encodePipelineMarker(now));
    await committed(now);
  });
});

test('an invalid message with the routing key of markers becomes a dead letter', async () => {
  await publish(Buffer.from('{"type":"pipeline.marker","marked_at":"tomorrow"}'));
  const letter = await until('the message is a dead letter', () =>
    harness.database.knex('dead_letters').first(),
  );
  expect(letter).toMatchObject({ reason: 'unrouted', routing_key: pipelineMarkerKey });
  expect(letter.queue).not.toBe(unroutedQueue);
});
