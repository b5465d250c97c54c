import { requestIdHeader } from '@tocsin/contracts';
import { traceparentOf } from '@tocsin/kit';
import type { ConsumeMessage } from 'amqplib';
import type { Acker } from './acker.js';

/**
 * A message that a consumer has received and not settled. Its handler settles it with exactly one call of `ack` or
 * `retry`.
 */
export interface QueueMessage {
  readonly content: Buffer;
  readonly queue: string;
  readonly routingKey: string;
  /** Id of the REST request that published the message: its header `x-request-id`, if that is safe to log. */
  readonly requestId: string | undefined;
  /** Trace context of the publisher: the header `traceparent`. */
  readonly traceparent: string | undefined;
  /** True if the broker has delivered this message before. */
  readonly redelivered: boolean;
  /**
   * True once the channel of the message has ended. The broker then delivers the message again, to any consumer, and
   * settling this one has no effect.
   */
  isReturned(): boolean;
  /** Acknowledges the message. Call it when all rows of the message are committed. */
  ack(): void;
  /** Hands the message to the handler again after a backoff, unless its channel ends first. */
  retry(error: unknown): void;
}

/** The consumer's side of `QueueMessage`. */
export interface Settlement {
  isReturned(message: InFlightMessage): boolean;
  ack(message: InFlightMessage): void;
  retry(message: InFlightMessage, error: unknown): void;
}

/** The queue and channel that a message came from. */
export interface Source {
  queue: string;
  acker: Acker;
}

/** A class and not a closure, because 40,000 messages can be in flight and a class shares its methods. */
export class InFlightMessage implements QueueMessage {
  readonly content: Buffer;
  readonly queue: string;
  readonly routingKey: string;
  readonly requestId: string | undefined;
  readonly traceparent: string | undefined;
  readonly redelivered: boolean;
  readonly tag: number;
  readonly source: Source;
  /** Size of the kept parts of a message, in bytes. Headers that are not kept can have any size and do not count. */
  readonly bytes: number;
  failures = 0;
  readonly #settlement: Settlement;

  constructor({ content, fields, properties }: ConsumeMessage, source: Source, settlement: Settlement) {
    const headers: Record<string, unknown> = properties.headers ?? {};
    this.content = content;
    this.queue = source.queue;
    this.routingKey = fields.routingKey;
    this.requestId = requestIdOf(headers);
    this.traceparent = traceparentOf(headers);
    this.bytes = content.length + (this.requestId?.length ?? 0) + (this.traceparent?.length ?? 0);
    this.redelivered = fields.redelivered;
    this.tag = fields.deliveryTag;
    this.source = source;
    this.#settlement = settlement;
  }

  isReturned(): boolean {
    return this.#settlement.isReturned(this);
  }

  ack(): void {
    this.#settlement.ack(this);
  }

  retry(error: unknown): void {
    this.#settlement.retry(this, error);
  }
}

const safeId = /^[\w.~:/+=@-]{1,128}$/;

function requestIdOf(headers: Record<string, unknown>): string | undefined {
  const id = headers[requestIdHeader];
  return typeof id === 'string' && safeId.test(id) ? id : undefined;
}
