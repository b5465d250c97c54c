import { setTimeout as sleep } from 'node:timers/promises';
import { type ConfirmChannel, connect } from 'amqplib';
import { monotonicMs } from '../measure/clock.js';

/**
 * Publishes alerts. Each alert is published again until it is confirmed: by a publisher confirm from the broker, or by
 * a response from the API with the expected status.
 */
export interface AlertPublisher {
  publish(alert: OfferedAlert): void;
  /** Number of alerts that were sent and wait for a confirm from the broker or a response from the API. */
  inFlight(): number;
}

export interface OfferedAlert {
  content: Buffer;
  /** Exchange and routing key. The REST publisher ignores them. */
  route: Route;
  /** Called once, when the broker or the API has confirmed the alert. */
  onAccepted(): void;
}

export interface Route {
  exchange: string;
  routingKey: string;
}

const reconnectAfterMs = 250;
const connectTimeoutMs = 5_000;
const messageOptions = { persistent: true, mandatory: true, contentType: 'application/json' };

/**
 * Time in milliseconds after which an unconfirmed message is published again. This is necessary, because RabbitMQ 3.10
 * sometimes never confirms messages that were in transit to the leader of a queue when this leader was killed.
 */
const confirmTimeoutMs = 5_000;

/**
 * Publishes with confirms over one connection. After a connection loss it reconnects and publishes all unconfirmed
 * messages again. Rejects if the first connection fails.
 */
export async function openAmqpPublisher(url: string): Promise<AlertPublisher> {
  /** Time of the last publish of each unconfirmed alert, in milliseconds of the monotonic clock. */
  const unconfirmed = new Map<OfferedAlert, number>();
  let channel: ConfirmChannel | undefined;

  const send = (alert: OfferedAlert) => {
    unconfirmed.set(alert, monotonicMs());
    try {
      channel?.publish(
        alert.route.exchange,
        alert.route.routingKey,
        alert.content,
        messageOptions,
        (error) => {
          if (!error && unconfirmed.delete(alert)) alert.onAccepted();
        },
      );
    } catch {
      // The channel has closed. The next channel publishes the alert again.
    }
  };
  const open = async (): Promise<{ ended: Promise<unknown> }> => {
    const connection = await connect(url, { noDelay: true, timeout: connectTimeoutMs });
    connection.on('error', () => {});
    const ended = new Promise((resolve) => connection.once('close', resolve));
    const opened = await connection.createConfirmChannel();
    opened.on('error', () => {});
    // A channel can close while its connection stays open, for example after its exchange was deleted. The connection
    // is then closed too, so that the publisher reconnects.
    opened.once('close', () => connection.close().catch(() => {}));
    channel = opened;
    for (const alert of unconfirmed.keys()) send(alert);
    return { ended };
  };
  const reconnectForever = async (ended: Promise<unknown>): Promise<void> => {
    await ended;
    for (;;) {
      channel = undefined;
      await sleep(reconnectAfterMs);
      try {
        await (await open()).ended;
      } catch {
        // The broker is unavailable, and the loop connects again.
      }
    }
  };

  const { ended } = await open();
  void reconnectForever(ended);
  setInterval(() => {
    const overdueMs = monotonicMs() - confirmTimeoutMs;
    for (const [alert, sentAtMs] of unconfirmed) if (sentAtMs < overdueMs) send(alert);
  }, 1_000).unref();
  return {
    publish: send,
    inFlight: () => unconfirmed.size,
  };
}
