import { once } from 'node:events';
import { alertFiredKey, alertsExchange } from '@tocsin/contracts';
import { createBroker, createConsumer, deliveriesQueue, unroutedQueue } from '@tocsin/messaging';
import { until } from '@tocsin/testing';
import { parse } from 'yaml';
import { maxAlertBytes } from '../../../services/delivery-worker/src/dead-letters/dead-letter-repository.js';
import { composeService, readText } from './support/compose.js';
import { parseExposition } from './support/exposition.js';
import { type ShippedBroker, startShippedBroker } from './support/shipped-broker.js';
import { makeEnv } from './support/variables.js';

interface Policy {
  vhost: string;
  name: string;
  pattern: string;
  'apply-to': string;
  priority: number;
  definition: Record<string, string>;
}

const { policies } = JSON.parse(readText('infra/rabbitmq/definitions.json')) as { policies: Policy[] };

describe('a blank broker with the settings of the compose file', () => {
  let shipped: ShippedBroker;
  let broker: Awaited<ReturnType<typeof createBroker>>;

  beforeAll(async () => {
    shipped = await startShippedBroker(makeEnv());
    broker = await createBroker({ url: shipped.url, name: 'test' });
    await Promise.race([broker.ready(), shipped.failed]);
  }, 120_000);
  afterAll(async () => {
    await broker.close();
    await shipped.stop();
  });

  const openChannel = () =>
    new Promise<Parameters<Parameters<typeof broker.useConfirming>[0]>[0]>((resolve) => {
      void broker.useConfirming(async (channel) => resolve(channel));
    });

  test('the broker has exactly the user of the services', () => {
    const users = shipped.command(['rabbitmqctl', '--quiet', 'list_users', '--no-table-headers']);
    expect(users.trim().split(/\s/)[0]).toBe('tocsin');
    expect(users.trim().split('\n')).toHaveLength(1);
  }, 60_000);

  test('an expired alert reaches workers once the definitions are imported', async () => {
    shipped.command(composeService('broker-definitions').command ?? []);
    const taken: string[] = [];
    await createConsumer(broker, {
      queue: unroutedQueue,
      prefetch: 10,
      handle(message) {
        taken.push(message.content.toString());
        message.ack();
      },
      onError: () => {},
    });
    const channel = await openChannel();
    const options = { persistent: true, mandatory: true, expiration: '50' };
    channel.publish(alertsExchange, alertFiredKey, Buffer.from('short-lived'), options);
    await channel.waitForConfirms();
    await until('the expired alert is taken', () => taken.includes('short-lived'));
  }, 60_000);

  test('the broker accepts an alert of 1 MiB and refuses a larger one with a reason', async () => {
    const channel = await openChannel();
    const publish = (bytes: number) => channel.publish('', deliveriesQueue, Buffer.alloc(bytes));
    publish(maxAlertBytes);
    await channel.waitForConfirms();
    const refused = once(channel, 'error');
    publish(maxAlertBytes + 1);
    expect(await refused).toMatchObject([{ code: 406, message: expect.stringContaining('message size') }]);
  });

  test('the broker exports the metrics of alarms and dashboard', async () => {
    const exported = parseExposition(await (await fetch(shipped.metricsUrl)).text()).map(({ name }) => name);
    const asked = ['infra/prometheus/alarms.yml', 'infra/grafana/dashboards/tocsin.json'].flatMap(
      (file) => readText(file).match(/\brabbitmq_[a-z_]+/g) ?? [],
    );
    expect(asked.length).toBeGreaterThan(3);
    expect(asked.filter((name) => !exported.includes(name))).toEqual([]);
  });

  test('the definitions can be imported twice', () => {
    shipped.command(composeService('broker-definitions').command ?? []);
    const listed = shipped.command(['rabbitmqctl', '--quiet', 'list_policies', '--no-table-headers']);
    expect(listed.trim().split('\n')).toHaveLength(policies.length);
  }, 60_000);
});

test("definitions are imported by the broker's own image before services start", () => {
  const { image, depends_on, volumes } = composeService('broker-definitions');
  expect(image).toBe(composeService('rabbitmq').image);
  expect(depends_on).toEqual({ rabbitmq: { condition: 'service_healthy' } });
  expect(volumes).toContain('rabbitmq:/var/lib/rabbitmq:ro');
});

test('the Kubernetes manifest sets the same policies', () => {
  const { spec } = parse(readText('infra/kubernetes/broker-policy.yaml')) as {
    spec: Record<string, unknown>;
  };
  const { rabbitmqClusterReference, applyTo, ...rest } = spec;
  expect(rabbitmqClusterReference).toEqual({ name: expect.any(String) });
  expect([{ ...rest, 'apply-to': applyTo }]).toEqual(policies);
});
