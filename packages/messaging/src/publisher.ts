import { createCircuitBreaker } from '@tocsin/kit';
import type { ConfirmChannel, Message } from 'amqplib';
import type { Broker } from './connection.js';

export interface Publication {
  exchange: string;
  routingKey: string;
  content: Buffer;
  /** `application/json` where not given. */
  contentType?: string;
  type?: string;
  headers?: Record<string, string>;
}

/** Why a message was not taken. In each case but `returned` it may have arrived: publishing again is safe. */
export class PublishError extends Error {
  readonly reason: 'away' | 'blocked' | 'timeout' | 'refused' | 'returned';

  constructor(reason: PublishError['reason'], message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'PublishError';
    this.reason = reason;
  }
}

export interface Publisher {
  /** Resolves once the broker has confirmed and routed the message; persistent, mandatory. Throws `PublishError`. */
  publish(publication: Publication): Promise<void>;
}

/**
 * The unconfirmed message is itself the first probe: its confirm closes the circuit as soon as the broker continues.
 * Another message follows after 30 s, in case the confirm is lost for good; heartbeats have ended a dead connection by
 * then.
 */
const confirmProbes = { firstProbeAfterMs: 30_000, probeEveryMs: 30_000, forgetAfterMs: 30_000 };

interface Pending {
  deadlineMs: number;
  fail: (error: PublishError) => void;
}

export interface PublisherOptions {
  /** A confirm that takes longer is an error, in milliseconds. */
  confirmTimeoutMs?: number;
  /** Where nothing has been confirmed for so long, who comes is refused at once, in milliseconds; never if not set. */
  refuseAfterMs?: number;
}

/** A publisher on a channel of its own in confirm mode (RabbitMQ publisher confirms). */
export async function createPublisher(broker: Broker, options: PublisherOptions = {}): Promise<Publisher> {
  const { confirmTimeoutMs = 5_000, refuseAfterMs = Number.POSITIVE_INFINITY } = options;
  const confirmBreaker = createCircuitBreaker({ openAfterMs: refuseAfterMs, ...confirmProbes });
  let channel: ConfirmChannel | undefined;
  let sequence = 0;
  const pending = new Map<string, Pending>();
  const returned = new Set<string>();

  await broker.useConfirming(async (opened) => {
    opened.on('close', () => {
      if (channel === opened) channel = undefined;
    });
    opened.on('return', (message: Message) => returned.add(String(message.properties.messageId)));
    channel = opened;
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
      if (channel === undefined) return Promise.reject(away());
      if (broker.isBlocked()) return Promise.reject(blocked());
      if (confirmBreaker.admit() === 'open')
        return Promise.reject(new PublishError('away', 'The broker confirms nothing at present.'));
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
          if (cause) return fail(refusal(cause));
          pending.delete(messageId);
          if (returned.delete(messageId))
            reject(new PublishError('returned', 'No queue takes this message.'));
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
          fail(new PublishError('away', 'The broker is away.', { cause }));
        }
      });
    },
  };
}

/** One timer serves all messages: a timer for each would cost more than the publishing. */
const overdueCheckMs = 250;

function failOverdue(pending: Map<string, Pending>, nowMs: number): void {
  for (const { deadlineMs, fail } of pending.values()) {
    // Insertion order is the order of deadlines.
    if (deadlineMs > nowMs) return;
    fail(new PublishError('timeout', 'The broker has not confirmed in time.'));
  }
}

/** What a broker had taken before it held back is confirmed within this; with 256 in flight the slowest took 180 ms. */
const confirmedByThenMs = 250;

/** What it is sent once it holds back, it reads when it takes messages again, and no sooner. */
function failSoon(caught: Pending[]): void {
  const failAll = () => {
    for (const { fail } of caught) fail(blocked());
  };
  setTimeout(failAll, confirmedByThenMs).unref();
}

function blocked(): PublishError {
  return new PublishError('blocked', 'The broker takes no messages now.');
}

function away(): PublishError {
  return new PublishError('away', 'The broker is away.');
}

/** amqplib tells a nack and a closed channel apart by the message only. */
function refusal(cause: unknown): PublishError {
  const nacked = cause instanceof Error && cause.message === 'message nacked';
  return nacked
    ? new PublishError('refused', 'The broker has refused the message.', { cause })
    : new PublishError('away', 'The broker went away before it confirmed.', { cause });
}
