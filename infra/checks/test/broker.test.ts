import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createAmqpPublisher } from '@tocsin/client';
import { alertFiredKey, alertsExchange, maxAlertBytes } from '@tocsin/contracts';
import {
  alertFiredQueue,
  createBroker,
  createConsumer,
  deliveriesQueue,
  unroutedQueue,
} from '@tocsin/messaging';
import { until } from '@tocsin/testing';
import { type Channel, connect } from 'amqplib';
import { composeService, readText } from './support/compose.js';
import { parseExposition } from './support/exposition.js';
import { type ShippedBroker, startShippedBroker } from './support/shipped-broker.js';

interface Policy {
  vhost: string;
  name: string;
  pattern: string;
  'apply-to': string;
  priority: number;
  definition: Record<string, string>;
}

const { policies } = JSON.parse(readText('infra/rabbitmq/definitions.json')) as { policies: Policy[] };

describe('a new broker with the settings of the compose file', () => {
  let shipped: ShippedBroker;
  let broker: Awaited<ReturnType<typeof createBroker>>;

  beforeAll(async () => {
    shipped = await startShippedBroker();
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

  test("the broker's only user is the user of the services", () => {
    const users = shipped.command(['rabbitmqctl', '--quiet', 'list_users', '--no-table-headers']);
    expect(users.trim().split(/\s/)[0]).toBe('tocsin');
    expect(users.trim().split('\n')).toHaveLength(1);
  }, 60_000);

  test('an expired alert reaches the queue of unrouted alerts after the definitions are imported', async () => {
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

  test('the broker accepts a message of 1 MiB, and rejects a larger message with a reason', async () => {
    const channel = await openChannel();
    const publish = (bytes: number) => channel.publish('', deliveriesQueue, Buffer.alloc(bytes));
    publish(maxAlertBytes);
    await channel.waitForConfirms();
    const rejected = once(channel, 'error');
    publish(maxAlertBytes + 1);
    expect(await rejected).toMatchObject([{ code: 406, message: expect.stringContaining('message size') }]);
  });

  describe('a monitor whose broker user has the documented permissions', () => {
    const workspaceId = '6f1d0f0e-6c39-4c0b-8f5e-0b8a1c9f2a11';
    const alert = {
      alert_rule_id: workspaceId,
      model_id: workspaceId,
      model_name: 'churn',
      metric_value: 0.42,
    };
    let url: string;

    beforeAll(() => {
      shipped.command(['rabbitmqctl', 'add_user', 'monitor', 'first']);
      shipped.command(wordsOf(guideLine('rabbitmqctl set_permissions monitor')));
      url = withLogin(shipped.url, 'monitor', 'first');
    }, 60_000);

    test('a publisher with the documented permissions can publish if it declares no topology', async () => {
      const publisher = await createAmqpPublisher({ url, workspaceId, declare: false });
      await expect(publisher.publish(alert)).resolves.toMatchObject({ workspace_id: workspaceId });
      await publisher.close();
    });

    test('a publisher that may not declare queues gets an error that suggests --no-declare', async () => {
      const publisher = await createAmqpPublisher({ url, workspaceId });
      await expect(publisher.publish(alert)).rejects.toMatchObject({
        code: 'misconfigured',
        message: expect.stringMatching(/ACCESS_REFUSED.*--no-declare/),
      });
      await publisher.close();
    });

    test.each<[string, (channel: Channel) => Promise<unknown>]>([
      ['delete the queue', (channel) => channel.deleteQueue(alertFiredQueue)],
      ['purge the queue', (channel) => channel.purgeQueue(alertFiredQueue)],
      ['read alerts', (channel) => channel.get(alertFiredQueue)],
      ['consume alerts', (channel) => channel.consume(alertFiredQueue, () => {})],
      ['bind a queue to the exchange', (channel) => channel.bindQueue(alertFiredQueue, alertsExchange, '#')],
      ['make a queue', (channel) => channel.assertQueue('own')],
      ['delete the exchange', (channel) => channel.deleteExchange(alertsExchange)],
    ])('a publisher with the documented permissions cannot %s', async (_, act) => {
      const connection = await connect(url);
      const channel = await connection.createChannel();
      channel.on('error', () => {});
      await expect(act(channel)).rejects.toMatchObject({ code: 403 });
      await connection.close();
    });

    test.each(['', 'tocsin.deliveries', 'tocsin.events', 'tocsin.alerts.unrouted'])(
      'a publisher with the documented permissions cannot publish to the exchange "%s"',
      async (exchange) => {
        const connection = await connect(url);
        const channel = await connection.createConfirmChannel();
        const rejected = once(channel, 'error');
        channel.publish(exchange, alertFiredQueue, Buffer.from('{}'));
        expect(await rejected).toMatchObject([{ code: 403 }]);
        await connection.close();
      },
    );

    test('a publisher whose login is rejected after a reconnection retries until the login succeeds', async () => {
      const publisher = await createAmqpPublisher({ url, workspaceId, declare: false });
      await publisher.publish(alert);
      shipped.command(['rabbitmqctl', 'change_password', 'monitor', 'second']);
      shipped.command(['rabbitmqctl', 'close_all_user_connections', 'monitor', 'test']);
      // The second attempt to connect starts after the publisher has received the rejection of the first one.
      const rejections = () => shipped.log().split("PLAIN login refused: user 'monitor'").length - 1;
      await until('the broker has rejected two logins', () => rejections() >= 2);
      const publishing = publisher.publish(alert);
      shipped.command(['rabbitmqctl', 'change_password', 'monitor', 'first']);
      await expect(publishing).resolves.toBeDefined();
      await publisher.close();
    }, 60_000);
  });

  test('the broker exports the metrics that alarms and the dashboard use', async () => {
    const exported = parseExposition(await (await fetch(shipped.metricsUrl)).text()).map(({ name }) => name);
    const asked = ['infra/prometheus/alarms.yml', 'infra/grafana/dashboards/tocsin.json'].flatMap(
      (file) => readText(file).match(/\brabbitmq_[a-z_]+/g) ?? [],
    );
    expect(asked.length).toBeGreaterThan(3);
    expect(asked.filter((name) => !exported.includes(name))).toEqual([]);
  });

  test('the definitions of the broker can be imported twice', () => {
    shipped.command(composeService('broker-definitions').command ?? []);
    const listed = shipped.command(['rabbitmqctl', '--quiet', 'list_policies', '--no-table-headers']);
    expect(listed.trim().split('\n')).toHaveLength(policies.length);
  }, 60_000);
});

/** Returns the command in docs/operate.md that contains `part`. Removes the prefix `docker compose exec SERVICE`. */
function guideLine(part: string): string {
  const line = readText('docs/operate.md')
    .split('\n')
    .find((candidate) => candidate.includes(part));
  return line?.replace(/^docker compose exec \w+ /, '') ?? '';
}

/** Splits a command line into words as a shell does. */
function wordsOf(line: string): string[] {
  return execFileSync('sh', ['-c', `printf '%s\\n' ${line}`], { encoding: 'utf8' })
    .trimEnd()
    .split('\n');
}

function withLogin(url: string, username: string, password: string): string {
  return Object.assign(new URL(url), { username, password }).href;
}

test("the broker-definitions container uses the broker's image and waits for a healthy broker", () => {
  const { image, depends_on, volumes } = composeService('broker-definitions');
  expect(image).toBe(composeService('rabbitmq').image);
  expect(depends_on).toEqual({ rabbitmq: { condition: 'service_healthy' } });
  expect(volumes).toContain('rabbitmq:/var/lib/rabbitmq:ro');
});
