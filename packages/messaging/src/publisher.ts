import { createCircuitBreaker } from '@tocsin/kit';
import type { ConfirmChannel, Message } from 'amqplib';
import type { Broker } from './connection.js';

export interface Publication {
  exchange: string;
  routingKey: string;
  content: Buffer;
  /** Default: `application/json`. */
  contentType?: string;
  type?: string;
  headers?: Record<string, string>;
}

/**
 * Error of a message that was not confirmed. With the reason `returned`, the message is in no queue. With any other
 * reason, the message may have reached the broker. The caller can publish the message again, because consumers ignore
 * repetitions. The cause of `unavailable` is the error of the connection or the channel, if any.
 */
export class PublishError extends Error {
  readonly reason: 'unavailable' | 'blocked' | 'timeout' | 'rejected' | 'returned';

  constructor(reason: PublishError['reason'], message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'PublishError';
    this.reason = reason;
  }
}

export interface Publisher {
  /**
   * Publishes a persistent, mandatory message. Resolves after the broker has confirmed it.
   * @throws PublishError
   */
  publish(publication: Publication): Promise<void>;
}

/**
 * Times of the circuit breaker for missing confirms, in milliseconds. While the breaker is open, new messages fail at
 * once. The late confirm of an earlier message closes it. If that confirm is lost, one new message is sent as a probe
 * every 30 s. A dead connection needs no probe, because missing heartbeats end it earlier.
 */
const confirmProbes = { firstProbeAfterMs: 30_000, probeEveryMs: 30_000, forgetAfterMs: 30_000 };

interface Pending {
  deadlineMs: number;
  fail: (error: PublishError) => void;
}

export interface PublisherOptions {
  /** Maximum wait for a confirm, in milliseconds. Default: 5,000. */
  confirmTimeoutMs?: number;
  /** Time after which the circuit breaker opens if messages get no confirm, in milliseconds. Default: never. */
  circuitOpenAfterMs?: number;
}

/** Creates a publisher with its own channel in confirm mode. */
export async function createPublisher(broker: Broker, options: PublisherOptions = {}): Promise<Publisher> {
  const { confirmTimeoutMs = 5_000, circuitOpenAfterMs = Number.POSITIVE_INFINITY } = options;
  const confirmBreaker = createCircuitBreaker({ openAfterMs: circuitOpenAfterMs, ...confirmProbes });
  let channel: ConfirmChannel | undefined;
  /** Error with which the broker closed the latest channel. */
  let channelError: unknown;
  let sequence = 0;
  const pending = new Map<string, Pending>();
  const returned = new Set<string>();

  await broker.useConfirming(async (opened) => {
    opened.on('close', () => {
      if (channel === opened) channel = undefined;
    });
    opened.on('error', (error: unknown) => {
      channelError = error;
    });
    opened.on('return', (message: Message) => returned.add(String(message.properties.messageId)));
    channel = opened;
    channelError = undefined;
    confirmBreaker.responded();
  });
  broker.onBlocked(() => {
    confirmBreaker.responded();
    failSoon([...pending.values()]);
  });

  let isCheckScheduled = false;
  /**
   * Starts the timer for the next check of overdue confirms. The timer is not started again when no message waits for a
   * confirm.
   */
  const checkOverdueLater = () => {
    if (isCheckScheduled) return;
    isCheckScheduled = true;
    setTimeout(() => {
      isCheckScheduled = false;
      failOverdue(pending, performance.now());
      if (pending.size > 0) checkOverdueLater();
    }, overdueCheckMs).unref();
  };

  return {
    publish({ exchange, routingKey, content, contentType = 'application/json', type, headers }) {
      if (channel === undefined) return Promise.reject(unavailable(channelError ?? broker.lastError()));
      if (broker.isBlocked()) return Promise.reject(blocked());
      if (confirmBreaker.admit() === 'open')
        return Promise.reject(new PublishError('unavailable', 'The broker does not confirm messages now.'));
      sequence += 1;
      const messageId = String(sequence);
      const open = channel;
      return new Promise<void>((resolve, reject) => {
        const fail = (error: PublishError) => {
          pending.delete(messageId);
          reject(error);
        };
        pending.set(messageId, { deadlineMs: performance.now() + confirmTimeoutMs, fail });
        checkOverdueLater();
        const settled = (cause: unknown) => {
          confirmBreaker.responded();
          const isReturned = returned.delete(messageId);
          if (cause) return fail(rejection(cause, channelError));
          pending.delete(messageId);
          if (isReturned) reject(new PublishError('returned', 'No queue is bound for this message.'));
          else resolve();
        };
        const properties = { persistent: true, mandatory: true, messageId, contentType };
        try {
          open.publish(
            exchange,
            routingKey,
            content,
            { ...properties, ...(type && { type }), ...(headers && { headers }) },
            settled,
          );
        } catch (cause) {
          fail(unavailable(cause));
        }
      });
    },
  };
}

/**
 * Interval of the check for overdue confirms, in milliseconds. One timer for all messages takes less CPU time than a
 * timer for each message.
 */
const overdueCheckMs = 250;

function failOverdue(pending: Map<string, Pending>, nowMs: number): void {
  for (const { deadlineMs, fail } of pending.values()) {
    // The map is in the order of the deadlines, so the messages after this one are not overdue either.
    if (deadlineMs > nowMs) return;
    fail(new PublishError('timeout', 'The broker has not confirmed the message in time.'));
  }
}

/**
 * Maximum wait, in milliseconds, for the confirms of messages that the broker received before it blocked. In a
 * measurement, the slowest of 256 confirms took 180 ms.
 */
const confirmAfterBlockMs = 250;

/**
 * Rejects unconfirmed messages soon after the broker has blocked. A blocked broker reads no further messages, so
 * waiting for the full confirm timeout is useless.
 */
function failSoon(unconfirmed: Pending[]): void {
  const failAll = () => {
    for (const { fail } of unconfirmed) fail(blocked());
  };
  setTimeout(failAll, confirmAfterBlockMs).unref();
}

function blocked(): PublishError {
  return new PublishError('blocked', 'The broker accepts no messages now.');
}

function unavailable(cause?: unknown): PublishError {
  return new PublishError('unavailable', 'The broker is unavailable.', { cause });
}

/**
 * Converts amqplib's error of a failed confirm to a PublishError. A nack is recognised by the text of the error,
 * because amqplib gives no code. If the broker closed the channel, the reason is in `channelError`, which amqplib
 * emitted before.
 */
function rejection(cause: unknown, channelError: unknown): PublishError {
  const nacked = cause instanceof Error && cause.message === 'message nacked';
  return nacked
    ? new PublishError('rejected', 'The broker has rejected the message.', { cause })
    : new PublishError('unavailable', 'The connection ended before the broker confirmed the message.', {
        cause: channelError ?? cause,
      });
}
