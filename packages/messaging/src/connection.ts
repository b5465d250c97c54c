import { EventEmitter } from 'node:events';
import { type Logger, withTimeout } from '@tocsin/kit';
import {
  type Channel,
  type ChannelModel,
  type ConfirmChannel,
  connect,
  type RecoveringChannelModel,
} from 'amqplib';
import { createPart, createParts, type PartsOptions } from './parts.js';

export interface BrokerOptions {
  /** amqp://user:password@host:port/vhost */
  url: string;
  /** Shown in the broker's list of connections. */
  name: string;
  /** Gets a line for every loss and return of the broker. */
  logger?: Pick<Logger, 'info' | 'warn'>;
  /** Exchanges, queues and bindings that were taken away are there again within so long, in milliseconds. */
  declareEveryMs?: number;
}

/** Readies a channel that a part of the program lives on. */
type Attach<C extends Channel> = (channel: C) => Promise<void>;

/**
 * One connection to the broker, made again for ever with back-off and jitter. Creating it does not wait for the broker.
 */
export interface Broker {
  /** Runs `attach` on a channel of its own: on the present connection, on every later one, and when the channel ends alone. */
  use(attach: Attach<Channel>): Promise<void>;
  /** The same on a channel in confirm mode. */
  useConfirming(attach: Attach<ConfirmChannel>): Promise<void>;
  /** Resolves when connected and every part is attached. */
  ready(): Promise<void>;
  isUp(): boolean;
  /** True while the broker refuses to take messages (memory or disk alarm). */
  isBlocked(): boolean;
  /** Calls `listener` whenever the broker begins to refuse. */
  onBlocked(listener: () => void): void;
  /** Calls `listener` whenever exchanges, queues and bindings have been declared again on a connection that goes on. */
  onDeclared(listener: () => void): void;
  close(): Promise<void>;
}

const heartbeatSeconds = 10;
const connectTimeoutMs = 10_000;

export async function createBroker(options: BrokerOptions): Promise<Broker> {
  const { url, name, logger, declareEveryMs = 30_000 } = options;
  const log: PartsOptions['logger'] = {
    info: (fields, message) => logger?.info({ connection: name, ...fields }, message),
    warn: (fields, message) => logger?.warn({ connection: name, ...fields }, message),
  };
  const events = new EventEmitter<{ blocked: []; declared: [] }>();
  let current: ChannelModel | undefined;
  let isAttached = false;
  let isBlocked = false;
  let waiters: (() => void)[] = [];

  const isUp = () => isAttached && parts.areOpen();
  const wake = () => {
    if (isUp()) for (const waiter of waiters.splice(0)) waiter();
  };
  const parts = createParts({
    declareEveryMs,
    logger: log,
    onOpen: wake,
    onDeclared: () => events.emit('declared'),
  });
  const attachAll = async (model: ChannelModel): Promise<void> => {
    isBlocked = false;
    // Before anything is sent on it: the broker tells each connection once, when the first message comes.
    model.on('blocked', (reason) => {
      isBlocked = true;
      events.emit('blocked');
      log.warn({ reason }, 'broker.blocked');
    });
    model.on('unblocked', () => {
      isBlocked = false;
      log.info({}, 'broker.unblocked');
    });
    current = model;
    await parts.openAll(model);
  };
  const up = () => {
    isAttached = true;
    wake();
    log.info({}, 'broker.connected');
  };
  const lost = (kind: 'disconnected' | 'unreachable') => (err: Error) => {
    current = undefined;
    isAttached = false;
    parts.lost();
    log.warn({ err }, `broker.${kind}`);
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
  connection.on('connect', up);
  connection.on('disconnect', lost('disconnected'));
  connection.on('connect-failed', lost('unreachable'));

  return {
    use: (attach) => parts.add(createPart((model) => model.createChannel(), attach)),
    useConfirming: (attach) => parts.add(createPart((model) => model.createConfirmChannel(), attach)),
    ready: async () => {
      if (!isUp()) await new Promise<void>((resolve) => waiters.push(resolve));
    },
    isUp,
    isBlocked: () => isBlocked,
    onBlocked: (listener) => void events.on('blocked', listener),
    onDeclared: (listener) => void events.on('declared', listener),
    async close() {
      waiters = [];
      isAttached = false;
      parts.lost();
      await closeWithin(connection, current);
    },
  };
}

/**
 * A connection on which something could not be attached is cut. amqplib would take leave of it first, and never try
 * again where the broker is killed or silent by then. Nor would it notice the end of a connection before this is done:
 * it begins to listen only then, and a channel that was being closed as its connection died never says so.
 */
function orCut(attachAll: (model: ChannelModel) => Promise<void>): (model: ChannelModel) => Promise<void> {
  return async (model) => {
    // Told of again by `disconnect`; without a listener an error of a connection that is being left ends the process.
    model.on('error', () => {});
    const closed = new Promise<never>((_, reject) =>
      model.once('close', (error?: Error) =>
        reject(error ?? new Error('The broker has closed the connection.')),
      ),
    );
    try {
      await Promise.race([attachAll(model), closed]);
    } catch (error) {
      socketOf(model)?.destroy(error instanceof Error ? error : new Error(String(error)));
      await closed.catch(() => {});
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
  await withTimeout(connection.close(), { timeoutMs: closeTimeoutMs }).catch(() => {});
  socketOf(model)?.destroy();
}

function withHeartbeat(url: string): string {
  const address = new URL(url);
  if (!address.searchParams.has('heartbeat')) address.searchParams.set('heartbeat', String(heartbeatSeconds));
  return address.href;
}
