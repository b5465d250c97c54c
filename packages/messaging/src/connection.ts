import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@tocsin/kit';
import { type ChannelModel, connect, type RecoveringChannelModel } from 'amqplib';
import { declareTopology } from './topology.js';

export interface BrokerOptions {
  /** amqp://user:password@host:port/vhost */
  url: string;
  /** Shown in the broker's list of connections. */
  name: string;
  /** Gets a line for every loss and return of the broker. */
  logger?: Pick<Logger, 'info' | 'warn'>;
}

/** A part that lives on a connection: it opens its channels on each new one. */
type Attach = (model: ChannelModel) => Promise<void>;

/**
 * One connection to the broker, made again for ever with back-off and jitter. Creating it does not wait for the broker.
 */
export interface Broker {
  /** Runs `attach` on the present connection, and on every later one. */
  use(attach: Attach): Promise<void>;
  /** Resolves when connected and every part is attached. */
  ready(): Promise<void>;
  isUp(): boolean;
  /** True while the broker refuses to take messages (memory or disk alarm). */
  isBlocked(): boolean;
  close(): Promise<void>;
}

const heartbeatSeconds = 10;
const connectTimeoutMs = 10_000;

export async function createBroker({ url, name, logger }: BrokerOptions): Promise<Broker> {
  const parts: Part[] = [];
  let current: ChannelModel | undefined;
  let attached = false;
  let blocked = false;
  let waiters: (() => void)[] = [];

  const attachAll = async (model: ChannelModel): Promise<void> => {
    blocked = false;
    // Before anything is sent on it: the broker tells each connection once, when the first message comes.
    model.on('blocked', (reason) => {
      blocked = true;
      logger?.warn({ connection: name, reason }, 'broker.blocked');
    });
    model.on('unblocked', () => {
      blocked = false;
      logger?.info({ connection: name }, 'broker.unblocked');
    });
    const channel = await model.createChannel();
    channel.on('error', () => {});
    await declareTopology(channel);
    await channel.close();
    current = model;
    for (const part of parts) await attachOnce(part, model);
    attached = true;
    for (const wake of waiters.splice(0)) wake();
    logger?.info({ connection: name }, 'broker.connected');
  };
  const lost = (kind: 'disconnected' | 'unreachable') => (error: Error) => {
    current = undefined;
    attached = false;
    logger?.warn({ connection: name, err: error }, `broker.${kind}`);
  };

  const connection: RecoveringChannelModel = await connect(withHeartbeat(url), {
    clientProperties: { connection_name: name },
    timeout: connectTimeoutMs,
    noDelay: true,
    recovery: {
      initialDelay: 100,
      maxDelay: 5_000,
      jitter: 0.5,
      waitForConnect: false,
      setup: orCut(attachAll),
    },
  });
  connection.on('error', () => {});
  connection.on('disconnect', lost('disconnected'));
  connection.on('connect-failed', lost('unreachable'));

  return {
    async use(attach) {
      const part: Part = { attach, attachedTo: undefined };
      parts.push(part);
      if (current !== undefined) await attachOnce(part, current);
    },
    ready: async () => {
      if (!attached) await new Promise<void>((resolve) => waiters.push(resolve));
    },
    isUp: () => attached,
    isBlocked: () => blocked,
    async close() {
      waiters = [];
      attached = false;
      await closeWithin(connection, current);
    },
  };
}

/**
 * A connection on which something could not be attached is cut. amqplib would take leave of it first, and never try
 * again where the broker is killed or silent by then.
 */
function orCut(attachAll: Attach): Attach {
  return async (model) => {
    // Told of again by `disconnect`; without a listener an error of a connection that is being left ends the process.
    model.on('error', () => {});
    const closed = new Promise((resolve) => model.once('close', resolve));
    try {
      await attachAll(model);
    } catch (error) {
      socketOf(model)?.destroy(error instanceof Error ? error : new Error(String(error)));
      await closed;
      throw error;
    }
  };
}

/** amqplib does not declare the socket, and has no other way to let go of it. */
function socketOf(model: ChannelModel | undefined): { destroy(error?: Error): void } | undefined {
  return (model?.connection as { stream?: { destroy(error?: Error): void } } | undefined)?.stream;
}

const closeTimeoutMs = 2_000;

/** A broker that is gone never answers the farewell: its socket is cut then. */
async function closeWithin(
  connection: RecoveringChannelModel,
  model: ChannelModel | undefined,
): Promise<void> {
  const timeout = new AbortController();
  const late = sleep(closeTimeoutMs, undefined, { signal: timeout.signal }).catch(() => {});
  await Promise.race([connection.close().catch(() => {}), late]);
  timeout.abort();
  socketOf(model)?.destroy();
}

interface Part {
  attach: Attach;
  attachedTo: ChannelModel | undefined;
}

/** A part can be added while the others are being attached: it must not be attached twice. */
async function attachOnce(part: Part, model: ChannelModel): Promise<void> {
  if (part.attachedTo === model) return;
  part.attachedTo = model;
  await part.attach(model);
}

function withHeartbeat(url: string): string {
  const address = new URL(url);
  if (!address.searchParams.has('heartbeat')) address.searchParams.set('heartbeat', String(heartbeatSeconds));
  return address.href;
}
