import { requestIdHeader } from '@tocsin/contracts';
import type { Channel, ConsumeMessage } from 'amqplib';
import { type Acker, createAcker } from './acker.js';
import type { Broker } from './connection.js';
import { createPrefetch } from './prefetch.js';

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

export interface ConsumerOptions {
  queue: string;
  /** Messages that are unacknowledged at the most. */
  prefetch: number;
  /**
   * With more than this in hand, no more is taken until it is half. What is on its way still comes, so with this set the
   * broker is asked for few messages at first, and for more as they prove small.
   */
  maxBytes?: number;
  /** Settles the message by the promise that it returns; or, returning none, calls `done` or `failed` once. */
  handle: (message: Incoming) => Promise<void> | undefined;
  onError: (error: unknown) => void;
}

export interface Consumer {
  /** Takes no more messages; those taken go on. Used to wait out trouble and to shut down. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Ends the channel, so that the broker gives what is in hand to others. A new one is opened, paused where this is. */
  handBack(): Promise<void>;
  /** Messages taken and not settled. */
  inHand(): number;
  /** Resolves when nothing is in hand. */
  drained(): Promise<void>;
}

/** A channel, and the subscription on it while messages are wanted. */
interface Reading {
  queue: string;
  channel: Channel;
  /** One for the whole life of the channel: acknowledging a prefix would else take in what was taken before a pause. */
  acker: Acker;
  /** Several, because the broker knows a consumer's prefetch by what it was as it began: each further one asks for more. */
  consumerTags: string[];
}

const firstRetryMs = 1_000;
const maxRetryMs = 5_000;

/** Reads one queue. The only place that acknowledges; nothing is ever put back by nack and requeue. */
export async function createConsumer(broker: Broker, options: ConsumerOptions): Promise<Consumer> {
  let reading: Reading | undefined;
  const { maxBytes = Number.POSITIVE_INFINITY } = options;
  const prefetch = createPrefetch({ max: options.prefetch, maxBytes });
  let wanted = true;
  let full = false;
  let isAsking = false;
  let inHand = 0;
  let bytesInHand = 0;
  let idle: (() => void)[] = [];
  let steering: Promise<void> = Promise.resolve();

  const weigh = (bytes: number) => {
    bytesInHand += bytes;
    const before = full;
    full = bytesInHand > (full ? maxBytes / 2 : maxBytes);
    if (full !== before) void tryToSteer();
  };
  const release = ({ bytes }: Held) => {
    inHand -= 1;
    weigh(-bytes);
    if (inHand > 0) return;
    for (const wake of idle) wake();
    idle = [];
  };
  const hold = (held: Held): void => {
    inHand += 1;
    weigh(held.bytes);
    try {
      options.handle(held)?.then(
        () => held.done(),
        (error: unknown) => held.failed(error),
      );
    } catch (error) {
      held.failed(error);
    }
  };
  const settlement: Settlement = {
    isHandedBack: (held) => reading !== held.on,
    done(held) {
      held.on.acker.done(held.tag);
      release(held);
    },
    failed(held, error) {
      // Whoever has it now tells what is wrong with it.
      if (reading !== held.on) return release(held);
      options.onError(error);
      // Apart, so that what failed together is not tried together for ever.
      const delayMs = Math.min(maxRetryMs, firstRetryMs * 2 ** held.failures) * (0.5 + Math.random() / 2);
      held.failures += 1;
      setTimeout(() => reading === held.on && hold(held), delayMs).unref();
      release(held);
    },
  };
  const take = (on: Reading, message: ConsumeMessage | null): void => {
    if (message === null) {
      // The broker cancelled the consumer (the queue moved or was deleted): the channel starts over.
      on.channel.close().catch(() => {});
      return;
    }
    on.acker.taken(message.fields.deliveryTag);
    const held = new Held(message, on, settlement);
    prefetch.came(held.bytes);
    hold(held);
    askIfSmall(on);
  };
  const askIfSmall = (on: Reading): void => {
    if (isAsking || !mayTake()) return;
    const more = prefetch.more(inHand);
    if (more > 0) void askForMore(on, more);
  };
  const subscribe = async (on: Reading, count: number): Promise<void> => {
    const [, { consumerTag }] = await Promise.all([
      on.channel.prefetch(count),
      on.channel.consume(options.queue, (message) => take(on, message)),
    ]);
    on.consumerTags.push(consumerTag);
  };
  const mayTake = () => wanted && !full;
  const follow = async (): Promise<void> => {
    const on = reading;
    if (on === undefined) return;
    if (mayTake() && on.consumerTags.length === 0) await subscribe(on, prefetch.begin());
    if (mayTake()) return;
    // A channel that has ended has no subscription either.
    await Promise.all(on.consumerTags.splice(0).map((tag) => on.channel.cancel(tag).catch(() => {})));
  };
  /** One step at a time: each takes a round trip, and meanwhile something else may have come to be wanted. */
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const step = steering.then(work);
    steering = step.catch(() => {});
    return step;
  };
  const steer = () => inTurn(follow);
  /** A channel on which a step fails ends with it, and is opened again. */
  const tryToSteer = () => steer().catch(() => {});
  const askForMore = async (on: Reading, count: number): Promise<void> => {
    isAsking = true;
    const ask = async () => {
      // Else what was asked for has been called off meanwhile.
      if (reading === on && mayTake() && on.consumerTags.length > 0) await subscribe(on, count);
    };
    await inTurn(ask).catch(() => {});
    isAsking = false;
    // All of them may have come together with the answer, and until one is settled no other would ask.
    askIfSmall(on);
  };

  await broker.use(async (channel) => {
    const opened: Reading = {
      queue: options.queue,
      channel,
      acker: createAcker(channel),
      consumerTags: [],
    };
    channel.on('close', () => {
      if (reading === opened) reading = undefined;
    });
    reading = opened;
    await steer();
  });

  return {
    async pause() {
      wanted = false;
      await tryToSteer();
    },
    async resume() {
      wanted = true;
      await tryToSteer();
    },
    async handBack() {
      await reading?.channel.close().catch(() => {});
    },
    inHand: () => inHand,
    drained: () => (inHand === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve))),
  };
}

interface Settlement {
  isHandedBack(held: Held): boolean;
  done(held: Held): void;
  failed(held: Held, error: unknown): void;
}

/** A class, so that a message held costs no closures. */
class Held implements Incoming {
  readonly content: Buffer;
  readonly queue: string;
  readonly routingKey: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly redelivered: boolean;
  readonly tag: number;
  readonly on: Reading;
  /** Of what is kept of it. */
  readonly bytes: number;
  failures = 0;
  readonly #settlement: Settlement;

  constructor({ content, fields, properties }: ConsumeMessage, on: Reading, settlement: Settlement) {
    this.content = content;
    this.queue = on.queue;
    this.routingKey = fields.routingKey;
    this.headers = keptOf(properties.headers);
    this.bytes = content.length + String(this.headers[requestIdHeader] ?? '').length;
    this.redelivered = fields.redelivered;
    this.tag = fields.deliveryTag;
    this.on = on;
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
