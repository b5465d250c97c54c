import { EventEmitter } from 'node:events';
import type { Logger } from '@tocsin/kit';
import type { Channel, ChannelModel, ConfirmChannel } from 'amqplib';
import { type ChannelRegistryOptions, createChannelRegistry, createChannelUser } from './channel-registry.js';
import { keepConnected } from './keep-connected.js';
import { rejectionOf } from './rejection.js';

export interface BrokerOptions {
  /**
   * URL of the broker: amqp:// or amqps://user:password@host:port/vhost?cacertfile=…&certfile=…&keyfile=…. The
   * parameters are paths of PEM files.
   */
  url: string;
  /** Name of the connection in the broker's management interface. */
  name: string;
  /** Receives log lines about the connection, its channels and the topology. */
  logger?: Pick<Logger, 'info' | 'warn'>;
  /**
   * Interval in milliseconds at which exchanges, queues and bindings are declared again. The repetition restores those
   * that an operator has deleted. Default: 30,000.
   */
  declareEveryMs?: number;
  /**
   * If false, exchanges, queues and bindings must exist already. A broker user that may only publish needs this
   * setting, because it may not declare them. Default: true.
   */
  declare?: boolean;
  /**
   * If true, the attempts to connect end when the broker reports a rejected login, a missing permission, or a missing
   * exchange or queue, unless a connection has succeeded before. A rejected virtual host does not end the attempts.
   * Default: false.
   */
  stopIfRejected?: boolean;
}

/** Prepares a channel. It runs for the first channel and again for each channel that replaces a closed one. */
type Attach<C extends Channel> = (channel: C) => Promise<void>;

/** One connection to the broker, which is opened again with a backoff each time it is lost. */
export interface Broker {
  /**
   * Runs `attach` on a new channel: now if the broker is connected, on each later connection, and after the channel has
   * closed while the connection stays open.
   */
  use(attach: Attach<Channel>): Promise<void>;
  /** Like `use`, but the new channels are in confirm mode. */
  useConfirming(attach: Attach<ConfirmChannel>): Promise<void>;
  /** Resolves when the connection and all its channels are open. */
  ready(): Promise<void>;
  isUp(): boolean;
  /** True while the broker accepts no messages because of its memory or disk alarm. */
  isBlocked(): boolean;
  /** Error of the latest attempt to connect or of the lost connection. Undefined while connected. */
  lastError(): unknown;
  /** True after `stopIfRejected` has ended the attempts to connect. */
  hasStopped(): boolean;
  onBlocked(listener: () => void): void;
  /** Calls `listener` each time the topology has been declared at the interval `declareEveryMs`. */
  onDeclared(listener: () => void): void;
  close(): Promise<void>;
}

/** Starts to connect to the broker, but does not wait for the connection. Callers wait with `ready`. */
export async function createBroker(options: BrokerOptions): Promise<Broker> {
  const { url, name, logger, declareEveryMs = 30_000, declare = true, stopIfRejected = false } = options;
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
      // This call must come before any channel is open. A blocked broker reports the block only once on a connection,
      // when it receives the first message.
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
      hasStopped = stopIfRejected && rejectionOf(error) !== undefined;
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
