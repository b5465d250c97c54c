import { alertFiredKey, alertsExchange, createAlertFiredCheck } from '@tocsin/contracts';
import { createBroker, createPublisher, PublishError, rejectionOf } from '@tocsin/messaging';
import { describeError } from '../describe-error.js';
import type { AlertPublisher } from './alert-publisher.js';
import { type Carrier, createAlertPublisher, type PublisherOptions } from './create-alert-publisher.js';

export interface AmqpPublisherOptions extends PublisherOptions {
  /** URL of the broker: `amqp://user:password@host:port/vhost`. */
  url: string;
  /** Longest wait for a publisher confirm, in milliseconds. Default: 5000. */
  confirmTimeoutMs?: number | undefined;
  /**
   * If true, the publisher declares exchanges and queues. If false, a Tocsin service must have declared them. Use false
   * for a broker user that may only publish (configure `^$`, write `^tocsin\.alerts$`, read `^$`). Default: true.
   */
  declare?: boolean | undefined;
}

/**
 * Creates a publisher that sends persistent, mandatory messages with publisher confirms. This function does not wait
 * for the broker, but `publish` does. Until the first connection succeeds, a rejected login, a missing permission and a
 * missing exchange or queue are final: the publisher makes no further attempt to connect. After that, it always
 * connects again. While the broker rejects the login at a later connection, each call of `publish` retries its alert
 * until its own `giveUpAfterMs`. An alert of a rule that is not registered must contain its `alert_rule`. A worker
 * stores a message that it cannot process as a dead letter.
 */
export async function createAmqpPublisher(options: AmqpPublisherOptions): Promise<AlertPublisher> {
  const { url, confirmTimeoutMs, declare = true } = options;
  const broker = await createBroker({ url, name: 'tocsin-client', declare, stopIfRejected: true });
  const publisher = await createPublisher(broker, confirmTimeoutMs === undefined ? {} : { confirmTimeoutMs });
  const check = createAlertFiredCheck();
  const carrier: Carrier = {
    async send(alert) {
      const checked = check({ type: 'alert.fired', version: 1, ...alert });
      if (!checked.ok) throw new InvalidAlert(checked.errors);
      const content = Buffer.from(JSON.stringify(checked.value));
      try {
        await publisher.publish({
          exchange: alertsExchange,
          routingKey: alertFiredKey,
          content,
          type: 'alert.fired',
        });
      } catch (error) {
        const rejection = toRejection(error, { declare });
        // While the publisher connects again, a retry can succeed: a rejected login may be a changed password that is
        // soon changed back, and with `declare: true` a missing queue is declared again.
        const isFinal = broker.hasStopped() || (!declare && rejection?.rejected !== 'login');
        throw (isFinal && rejection) || withReason(error);
      }
    },
    classify(error) {
      if (error instanceof InvalidAlert) return { kind: 'rejected' };
      return { kind: error instanceof BrokerRejection ? 'misconfigured' : 'transient' };
    },
    close: () => broker.close(),
  };
  return createAlertPublisher(carrier, options);
}

/** Error for an invalid alert, which was not sent. */
export class InvalidAlert extends Error {
  constructor(faults: { path: string; message: string }[]) {
    super(faults.map(({ path, message }) => `${path === '' ? 'the alert' : path} ${message}`).join('; '));
    this.name = 'InvalidAlert';
  }
}

/**
 * Error for a permanent failure: the broker rejects the login of the publisher, the publisher lacks a permission, or an
 * exchange or queue does not exist. A retry would fail too.
 */
export class BrokerRejection extends Error {
  readonly rejected: 'login' | 'permission' | 'topology';

  constructor(rejected: BrokerRejection['rejected'], message: string) {
    super(message);
    this.name = 'BrokerRejection';
    this.rejected = rejected;
  }
}

const missingTopology =
  'Start a Tocsin service once, which declares it, or let this publisher declare it (without --no-declare; `declare: true`), which needs the configure permission.';
const mayNotDeclare =
  'If this user may only publish, declare nothing: --no-declare, or the option `declare: false`.';
const mayNotPublish = 'The user needs the write permission ^tocsin\\.alerts$ in this virtual host.';

/** Returns an error that says what to correct, or undefined if a retry can succeed. */
function toRejection(error: unknown, { declare }: { declare: boolean }): BrokerRejection | undefined {
  if (!(error instanceof PublishError)) return undefined;
  if (error.reason === 'returned')
    return new BrokerRejection(
      'topology',
      `No queue is bound to the exchange ${alertsExchange}. ${missingTopology}`,
    );
  const rejection = rejectionOf(error.cause);
  if (rejection === undefined) return undefined;
  const reason = describeError(error.cause);
  if (rejection === 'undeclared') return new BrokerRejection('topology', `${reason}. ${missingTopology}`);
  if (isHandshake(reason)) return new BrokerRejection('login', reason);
  return new BrokerRejection('permission', `${reason}. ${declare ? mayNotDeclare : mayNotPublish}`);
}

/**
 * Returns true for the reason of a rejected login. The broker reports a rejected login during the handshake, and
 * missing permissions on exchanges and queues later.
 */
function isHandshake(reason: string): boolean {
  return reason.startsWith('Handshake');
}

/** Adds the cause of a failed publish to the message of the error. */
function withReason(error: unknown): unknown {
  if (!(error instanceof PublishError) || error.cause === undefined) return error;
  return new PublishError(error.reason, `${error.message} (${describeError(error.cause)})`, {
    cause: error.cause,
  });
}
