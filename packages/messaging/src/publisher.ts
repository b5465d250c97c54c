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
 * With every reason but `returned` the message may have arrived, and publishing it again is safe. The cause of `unavailable`
 * is the error of the connection or the channel, if there was one.
 */
export class PublishError extends Error {
  readonly reason: 'unavailable' | 'blocked' | 'timeout' | 'refused' | 'returned';

  constructor(reason: PublishError['reason'], message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'PublishError';
    this.reason = reason;
  }
}

export interface Publisher {
  /**
   * Publishes a persistent, mandatory message. Resolves when the broker has confirmed it.
   * @throws PublishError
   */
  publish(publication: Publication): Promise<void>;
}

/**
 * The unconfirmed message is the first probe: its confirm closes the circuit when the broker continues. A further
 * message is sent after 30 s, in case the confirm is lost for good. Heartbeats have ended a dead connection by then.
 */
const confirmProbes = { firstProbeAfterMs: 30_000, probeEveryMs: 30_000, forgetAfterMs: 30_000 };

interface Pending {
  deadlineMs: number;
  fail: (error: PublishError) => void;
}

export interface PublisherOptions {
  /** Longest wait for a confirm, in milliseconds. Default: 5,000. */
  confirmTimeoutMs?: number;
  /** Time without any confirm, in milliseconds, after which messages are rejected at once. Default: no limit. */
  refuseAfterMs?: number;
}

/** A publisher on its own channel with publisher confirms. */
export async function createPublisher(broker: Broker, options: PublisherOptions = {}): Promise<Publisher> {
  const { confirmTimeoutMs = 5_000, refuseAfterMs = Number.POSITIVE_INFINITY } = options;
  const confirmBreaker = createCircuitBreaker({ openAfterMs: refuseAfterMs, ...confirmProbes });
  let channel: ConfirmChannel | undefined;
  /** The broker's reason for the end of the latest channel. */
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
  /** Runs only while messages are unconfirmed, so that a closed broker leaves no timer behind. */
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
          if (cause) return fail(rejection(cause, channelError));
          pending.delete(messageId);
          if (returned.delete(messageId))
            reject(new PublishError('returned', 'No queue is bound for this message.'));
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

/** One timer serves all messages: a timer for each would cost more than the publishing. */
const overdueCheckMs = 250;

function failOverdue(pending: Map<string, Pending>, nowMs: number): void {
  for (const { deadlineMs, fail } of pending.values()) {
    // Messages are kept in the order of their deadlines, so the first one that is not overdue ends the search.
    if (deadlineMs > nowMs) return;
    fail(new PublishError('timeout', 'The broker has not confirmed the message in time.'));
  }
}

/**
 * Longest wait for the confirms of messages that the broker had received before the block. With 256 messages in flight
 * the slowest confirm took 180 ms.
 */
const confirmAfterBlockMs = 250;

/** A blocked broker reads no further message, so the messages that it had not received fail without the full timeout. */
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
 * In amqplib, only the text of the error tells a nack from a closed channel, and the broker's reason for the closed channel
 * comes in an event before it.
 */
function rejection(cause: unknown, channelError: unknown): PublishError {
  const nacked = cause instanceof Error && cause.message === 'message nacked';
  return nacked
    ? new PublishError('refused', 'The broker has refused the message.', { cause })
    : new PublishError('unavailable', 'The connection ended before the broker confirmed the message.', {
        cause: channelError ?? cause,
      });
}
