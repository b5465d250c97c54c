import { Secret } from '@tocsin/kit';
import { until } from '@tocsin/testing';
import { startBrokerProxy } from '@tocsin/testing/broker';
import { useWorkerHarness } from './support/worker-harness.js';

// A broker with a memory or disk alarm reads nothing more from a connection that has published. This worker still
// consumes alerts, so it is ready. A broker that replies on no connection is unavailable.

const harness = useWorkerHarness();
let broker: Awaited<ReturnType<typeof startBrokerProxy>>;

beforeAll(async () => {
  broker = await startBrokerProxy(harness.config.amqpUrl.reveal());
});
afterAll(() => broker.close());

test('a worker whose publishing connection gets no reply is ready, until no connection does', async () => {
  const { port } = await harness.startWorker({ amqpUrl: new Secret(broker.url) });
  const readiness = () => fetch(`http://127.0.0.1:${port}/readyz`);
  await until('the worker is ready', async () => (await readiness()).ok);

  const target = await harness.addTarget();
  const planned = harness.plan([target.id]);
  broker.freezeResponsesTo(planned.deliveries[0]!.id);
  await harness.write([planned]);
  await until('the dispatcher has published', () => harness.destination.at(target.path).length === 1);
  expect((await readiness()).status).toBe(200);

  broker.freeze();
  const problem = await until('the worker is not ready', async () => {
    const response = await readiness();
    return response.status === 503 && (await response.json());
  });
  expect(problem).toMatchObject({ failing: ['broker'] });
}, 60_000);
