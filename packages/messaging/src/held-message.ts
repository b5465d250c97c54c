import { requestIdHeader } from '@tocsin/contracts';
import type { ConsumeMessage } from 'amqplib';
import type { Acker } from './acker.js';

/** A message in hand. Tens of thousands can be at once: what is kept of each is this and no more. */
export interface Incoming {
  readonly content: Buffer;
  readonly queue: string;
  readonly routingKey: string;
  /** `x-request-id`, where it is a string; others may be of any size. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** The broker has handed this message out before. */
  readonly redelivered: boolean;
  /** Its channel has ended: the broker gives it to whoever takes messages, and nothing done here is acknowledged. */
  isHandedBack(): boolean;
  /** All that it stands for is committed: it is acknowledged. */
  done(): void;
  /** It is handed over again, later each time; or to whoever the broker gives it when this consumer's channel ends. */
  failed(error: unknown): void;
}

/** What became of a message is told to the consumer that took it. */
export interface Settlement {
  isHandedBack(held: Held): boolean;
  done(held: Held): void;
  failed(held: Held, error: unknown): void;
}

/** Where a message was taken from. */
export interface Source {
  queue: string;
  acker: Acker;
}

/** A class, so that a message held costs no closures. */
export class Held implements Incoming {
  readonly content: Buffer;
  readonly queue: string;
  readonly routingKey: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly redelivered: boolean;
  readonly tag: number;
  readonly from: Source;
  /** Of what is kept of it. */
  readonly bytes: number;
  failures = 0;
  readonly #settlement: Settlement;

  constructor({ content, fields, properties }: ConsumeMessage, from: Source, settlement: Settlement) {
    this.content = content;
    this.queue = from.queue;
    this.routingKey = fields.routingKey;
    this.headers = keptOf(properties.headers);
    this.bytes = content.length + String(this.headers[requestIdHeader] ?? '').length;
    this.redelivered = fields.redelivered;
    this.tag = fields.deliveryTag;
    this.from = from;
    this.#settlement = settlement;
  }

  isHandedBack(): boolean {
    return this.#settlement.isHandedBack(this);
  }

  done(): void {
    this.#settlement.done(this);
  }

  failed(error: unknown): void {
    this.#settlement.failed(this, error);
  }
}

const noHeaders = Object.freeze({});

function keptOf(headers: Record<string, unknown> = noHeaders): Record<string, unknown> {
  const { [requestIdHeader]: id } = headers;
  return typeof id === 'string' ? { [requestIdHeader]: id } : noHeaders;
}
