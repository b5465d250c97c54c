import { alertPublisherHeader, requestIdHeader } from '@tocsin/contracts';
import { isSafeRequestId, traceparentOf } from '@tocsin/kit';
import type { ConsumeMessage } from 'amqplib';
import type { AckBatcher } from './ack-batcher.js';

/** A received message. Its handler must settle it with exactly one call of `ack` or `retry`. */
export interface QueueMessage {
  readonly content: Buffer;
  readonly queue: string;
  readonly routingKey: string;
  /**
   * Id of the HTTP request that published the message, from the header `x-request-id`. Undefined if the header is
   * missing or not safe to log.
   */
  readonly requestId: string | undefined;
  /** Trace context of the publisher, from the header `traceparent`. */
  readonly traceparent: string | undefined;
  /**
   * Header `x-tocsin-publisher`; undefined if it is missing or longer than 256 characters. The value is not
   * trustworthy, because everyone who may publish messages can set it.
   */
  readonly publisher: string | undefined;
  /** True if the broker has delivered the message before. */
  readonly redelivered: boolean;
  /**
   * True after the channel of the message has closed. The broker then delivers the message again, to any consumer, and
   * settling this copy has no effect.
   */
  isReturned(): boolean;
  /**
   * Acknowledges the message. Must be called only after all rows that the handler writes for the message are committed.
   */
  ack(): void;
  /** Calls the handler again with this message after a backoff, unless the channel closes first. */
  retry(error: unknown): void;
}

/** Functions of the consumer with which a message implements `isReturned`, `ack` and `retry`. */
export interface Settlement {
  isReturned(message: InFlightMessage): boolean;
  ack(message: InFlightMessage): void;
  retry(message: InFlightMessage, error: unknown): void;
}

/** The queue from which a message was received, and the batcher that acknowledges the messages of its channel. */
export interface MessageSource {
  queue: string;
  acks: AckBatcher;
}

/**
 * A received message. It is a class instead of a closure because up to 40,000 messages are in flight, and the instances
 * of a class share their methods.
 */
export class InFlightMessage implements QueueMessage {
  readonly content: Buffer;
  readonly queue: string;
  readonly routingKey: string;
  readonly requestId: string | undefined;
  readonly traceparent: string | undefined;
  readonly publisher: string | undefined;
  readonly redelivered: boolean;
  readonly tag: number;
  readonly source: MessageSource;
  /** Size in bytes of the content and of the headers that this object stores. Other headers are not counted. */
  readonly bytes: number;
  failures = 0;
  readonly #settlement: Settlement;

  constructor(
    { content, fields, properties }: ConsumeMessage,
    source: MessageSource,
    settlement: Settlement,
  ) {
    const headers: Record<string, unknown> = properties.headers ?? {};
    this.content = content;
    this.queue = source.queue;
    this.routingKey = fields.routingKey;
    this.requestId = requestIdOf(headers);
    this.traceparent = traceparentOf(headers);
    this.publisher = publisherOf(headers);
    this.bytes =
      content.length + lengthOf(this.requestId) + lengthOf(this.traceparent) + lengthOf(this.publisher);
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

function requestIdOf(headers: Record<string, unknown>): string | undefined {
  const id = headers[requestIdHeader];
  return isSafeRequestId(id) ? id : undefined;
}

function lengthOf(header: string | undefined): number {
  return header === undefined ? 0 : header.length;
}

const maxPublisherLength = 256;

function publisherOf(headers: Record<string, unknown>): string | undefined {
  const publisher = headers[alertPublisherHeader];
  return typeof publisher === 'string' && publisher.length <= maxPublisherLength ? publisher : undefined;
}
