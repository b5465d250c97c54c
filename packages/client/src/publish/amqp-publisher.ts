import { alertFiredKey, alertsExchange, createAlertFiredCheck } from '@tocsin/contracts';
import { createBroker, createPublisher } from '@tocsin/messaging';
import type { AlertPublisher } from './alert-publisher.js';
import { type Carrier, createAlertPublisher, type PublisherOptions } from './create-alert-publisher.js';

export interface AmqpPublisherOptions extends PublisherOptions {
  /** URL of the broker: `amqp://user:password@host:port/vhost`. */
  url: string;
  /** Timeout of a publisher confirm. Default: 5 s. */
  confirmTimeoutMs?: number | undefined;
}

/**
 * Publishes to the broker: persistent, mandatory, with publisher confirms, on a connection that reconnects. Creating the
 * publisher does not wait for the broker; `publish` does. An alert of a rule that is not registered must carry its
 * `alert_rule`. Workers move unusable messages to the dead letters.
 */
export async function createAmqpPublisher(options: AmqpPublisherOptions): Promise<AlertPublisher> {
  const broker = await createBroker({ url: options.url, name: 'tocsin-client' });
  const { confirmTimeoutMs } = options;
  const publisher = await createPublisher(broker, confirmTimeoutMs === undefined ? {} : { confirmTimeoutMs });
  const check = createAlertFiredCheck();
  const carrier: Carrier = {
    async send(alert) {
      const checked = check({ type: 'alert.fired', version: 1, ...alert });
      if (!checked.ok) throw new InvalidAlert(checked.faults);
      const content = Buffer.from(JSON.stringify(checked.value));
      await publisher.publish({
        exchange: alertsExchange,
        routingKey: alertFiredKey,
        content,
        type: 'alert.fired',
      });
    },
    classify: (error) => ({ kind: error instanceof InvalidAlert ? 'refused' : 'transient' }),
    close: () => broker.close(),
  };
  return createAlertPublisher(carrier, options);
}

/** The alert failed validation before anything was sent. */
class InvalidAlert extends Error {
  constructor(faults: { path: string; message: string }[]) {
    super(faults.map(({ path, message }) => `${path === '' ? 'the alert' : path} ${message}`).join('; '));
    this.name = 'InvalidAlert';
  }
}
