import { alertFiredKey, alertsExchange, createAlertFiredCheck } from '@tocsin/contracts';
import { createBroker, createPublisher } from '@tocsin/messaging';
import type { AlertPublisher } from './alert-publisher.js';
import { type Carrier, createAlertPublisher, type PublisherOptions } from './create-alert-publisher.js';

export interface AmqpPublisherOptions extends PublisherOptions {
  /** `amqp://user:password@host:port/vhost` */
  url: string;
  /** How long the broker may take to confirm one try; 5 s unless given. */
  confirmTimeoutMs?: number | undefined;
}

/**
 * A publisher straight to the broker: persistent, mandatory, with publisher confirms, on a connection that comes back.
 * It does not wait for the broker; `publish` does. Where rules are not registered, an alert must carry its
 * `alert_rule`; what the workers cannot use is set aside as a dead letter.
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
    judge: (error) => ({ kind: error instanceof InvalidAlert ? 'refused' : 'transient' }),
    close: () => broker.close(),
  };
  return createAlertPublisher(carrier, options);
}

/** Found before anything is sent. */
class InvalidAlert extends Error {
  constructor(faults: { path: string; message: string }[]) {
    super(faults.map(({ path, message }) => `${path === '' ? 'the alert' : path} ${message}`).join('; '));
    this.name = 'InvalidAlert';
  }
}
