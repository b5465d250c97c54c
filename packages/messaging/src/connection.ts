import { EventEmitter } from 'node:events';
import type { Logger } from '@tocsin/kit';
import type { Channel, ChannelModel, ConfirmChannel } from 'amqplib';
import { type ChannelRegistryOptions, createChannelRegistry, createChannelUser } from './channel-registry.js';
import { keepConnected } from './keep-connected.js';
import { refusalOf } from './refusal.js';

export interface BrokerOptions {
  /** amqp:// or amqps://user:password@host:port/vhost?cacertfile=…&certfile=…&keyfile=… (paths of PEM files) */
  url: string;
  /** Name of the connection, as the broker lists it. */
  name: string;
  /** Receives a line each time the connection is lost or opened. */
  logger?: Pick<Logger, 'info' | 'warn'>;
  /**
   * Time until exchanges, queues and bindings that an operator has deleted are declared again, in milliseconds. Unless
   * given: 30,000.
   */
  declareEveryMs?: number;
  /** False: exchanges, queues and bindings are used as they exist, for a user that may only publish. Default: true. */
  declare?: boolean;
  /**
   * True: a first connection that the broker refuses (login, virtual host, permission) is not tried again. A refusal after
   * the first connection never ends the attempts. Default: false.
   */
  stopIfRefused?: boolean;
}

/** Prepares a channel. It runs again for each channel that takes the place of an ended one. */
type Attach<C extends Channel> = (channel: C) => Promise<void>;

/** One connection to the broker. It is opened again, with a backoff, each time it is lost. */
export interface Broker {
  /** Runs `attach` on a channel of its own: now, on each later connection, and when the channel has ended alone. */
  use(attach: Attach<Channel>): Promise<void>;
  /** Runs `attach` like `use`, on a channel in confirm mode. */
  useConfirming(attach: Attach<ConfirmChannel>): Promise<void>;
  /** Resolves when the connection and all its channels are open. */
  ready(): Promise<void>;
  isUp(): boolean;
  /** True while the broker refuses messages (its memory or disk alarm). */
  isBlocked(): boolean;
  /** Reason why there is no connection, from the latest attempt or loss. Undefined while there is one. */
  lastError(): unknown;
  /** True once `stopIfRefused` has ended the attempts to connect. */
  hasStopped(): boolean;
  onBlocked(listener: () => void): void;
  /** Calls `listener` each time the topology was declared again on an open connection. */
  onDeclared(listener: () => void): void;
  close(): Promise<void>;
}

/** Does not wait for the broker. */
export async function createBroker(options: BrokerOptions): Promise<Broker> {
  const { url, name, logger, declareEveryMs = 30_000, declare = true, stopIfRefused = false } = options;
  const log: ChannelRegistryOptions['logger'] = {
    info: (fields, message) => logger?.info({ connection: name, ...fields }, message),
    warn: (fields, message) => logger?.warn({ connection: name, ...fields }, message),
  };
  const events = new EventEmitter<{ blocked: []; declared: [] }>();
  let isConnected = false;
  let isBlocked = false;
  let lastError: unknown;
  let hasStopped = false;
  let readyWaiters: (() => void)[] = [];

  const isUp = () => isConnected && channels.areAllOpen();
  const resolveReady = () => {
    if (isUp()) for (const resolve of readyWaiters.splice(0)) resolve();
  };
  const channels = createChannelRegistry({
    declareEveryMs: declare ? declareEveryMs : undefined,
    logger: log,
    onOpen: resolveReady,
    onDeclared: () => events.emit('declared'),
  });
  const watchBlocked = (connection: ChannelModel): void => {
    isBlocked = false;
    connection.on('blocked', (reason) => {
      isBlocked = true;
      events.emit('blocked');
      log.warn({ reason }, 'broker.blocked');
    });
    connection.on('unblocked', () => {
      isBlocked = false;
      log.info({}, 'broker.unblocked');
    });
  };
  const disconnected = (): void => {
    isConnected = false;
    channels.disconnected();
  };

  const closeConnection = keepConnected({
    url,
    name,
    attach(connection) {
      // Listens before any channel is open, because the broker reports a block only once, with the first message that
      // it receives.
      watchBlocked(connection);
      return channels.openAll(connection);
    },
    onConnected() {
      isConnected = true;
      lastError = undefined;
      resolveReady();
      log.info({}, 'broker.connected');
    },
    onLost(event, err) {
      disconnected();
      lastError = err;
      log.warn({ err }, event === 'disconnected' ? 'broker.disconnected' : 'broker.unreachable');
    },
    stopsAttempts(error) {
      hasStopped = stopIfRefused && refusalOf(error) !== undefined;
      return hasStopped;
    },
  });

  return {
    use: (attach) => channels.add(createChannelUser((connection) => connection.createChannel(), attach)),
    useConfirming: (attach) =>
      channels.add(createChannelUser((connection) => connection.createConfirmChannel(), attach)),
    ready: async () => {
      if (!isUp()) await new Promise<void>((resolve) => readyWaiters.push(resolve));
    },
    isUp,
    isBlocked: () => isBlocked,
    lastError: () => lastError,
    hasStopped: () => hasStopped,
    onBlocked: (listener) => void events.on('blocked', listener),
    onDeclared: (listener) => void events.on('declared', listener),
    async close() {
      readyWaiters = [];
      disconnected();
      await closeConnection();
    },
  };
}
