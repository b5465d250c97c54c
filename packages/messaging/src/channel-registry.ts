import { type Logger, sleep } from '@tocsin/kit';
import type { Channel, ChannelModel } from 'amqplib';
import { declareTopology } from './topology.js';

/** A component that needs its own channel, such as a publisher or a consumer. */
export interface ChannelUser {
  /** Opens and prepares the channel. `onClose` is called when the channel closes, even during the preparation. */
  openOn(connection: ChannelModel, onClose: () => void): Promise<void>;
}

/**
 * The channels of one broker connection. A channel that closes while its connection stays open is opened again, after
 * the topology has been declared.
 */
export interface ChannelRegistry {
  /** Opens the user's channel on the current connection, if there is one, and on every later connection. */
  add(user: ChannelUser): Promise<void>;
  /**
   * Declares the topology on a new connection, and then opens the channels of all users. Rejects if the connection ends
   * or the declaration fails, or if the opening of a channel fails, unless `add` has started this opening.
   */
  openAll(connection: ChannelModel): Promise<void>;
  /**
   * Must be called when the connection has ended. Closed channels are then not opened again until the next call of
   * `openAll`.
   */
  disconnected(): void;
  areAllOpen(): boolean;
}

export interface ChannelRegistryOptions {
  /** Interval between two declarations of the topology, in milliseconds. If undefined, it is never declared. */
  declareEveryMs: number | undefined;
  logger: Pick<Logger, 'info' | 'warn'>;
  /** Called when a channel is open and prepared. */
  onOpen: () => void;
  /**
   * Called after each periodic declaration of the topology. It is not called after a declaration that precedes the
   * opening of channels.
   */
  onDeclared: () => void;
}

/** State of the channels on one connection. */
interface Connected {
  connection: ChannelModel;
  started: Set<ChannelUser>;
  open: Set<ChannelUser>;
  reopening: Set<ChannelUser>;
  /** Controller that is aborted when the connection has ended. */
  ended: AbortController;
}

/**
 * Delay before a closed channel is opened again, in milliseconds. The delay limits the load if the broker closes each
 * new channel.
 */
const reopenMs = 1_000;

export function createChannelRegistry(options: ChannelRegistryOptions): ChannelRegistry {
  const { declareEveryMs, logger, onOpen, onDeclared } = options;
  const users: ChannelUser[] = [];
  /** The latest connection. It is also `current` after the first declaration of the topology, until it ends. */
  let latest: Connected | undefined;
  let current: Connected | undefined;

  const declare = async (connection: ChannelModel): Promise<void> => {
    if (declareEveryMs === undefined) return;
    await declareTopology(
      () => openChannel(connection),
      (declared, err) => logger.warn({ declared, err }, 'broker.topology_conflict'),
    );
  };
  const open = async (user: ChannelUser, on: Connected): Promise<void> => {
    let isClosed = false;
    await user.openOn(on.connection, () => {
      isClosed = true;
      on.open.delete(user);
      void reopen(user, on);
    });
    if (isClosed) return;
    on.open.add(user);
    onOpen();
  };
  /**
   * Opens the channel of a user, unless the opening has already started on this connection. Without this check, `add`
   * and `openAll` could open two channels for one user.
   */
  const openOnce = async (user: ChannelUser, on: Connected): Promise<void> => {
    if (on.started.has(user)) return;
    on.started.add(user);
    await open(user, on);
  };
  /**
   * Tries to open the channel until it is open or the connection has ended. On the next connection, `openAll` opens the
   * channels of all users.
   */
  const reopen = async (user: ChannelUser, on: Connected): Promise<void> => {
    if (on.reopening.has(user)) return;
    on.reopening.add(user);
    while (!on.open.has(user)) {
      await sleep(reopenMs, on.ended.signal);
      if (on.ended.signal.aborted) return;
      try {
        await declare(on.connection);
        await open(user, on);
        logger.info({}, 'broker.channel_reopened');
      } catch (err) {
        logger.warn({ err }, 'broker.channel_not_reopened');
      }
    }
    on.reopening.delete(user);
  };
  /**
   * Declares the topology again at the interval `declareEveryMs`. The interval is necessary because the broker does not
   * report that an operator has removed a binding.
   */
  const keepDeclared = async (on: Connected): Promise<void> => {
    while (declareEveryMs !== undefined) {
      await sleep(declareEveryMs, on.ended.signal);
      if (on.ended.signal.aborted) return;
      await declare(on.connection).then(onDeclared, (err: unknown) =>
        logger.warn({ err }, 'broker.topology_not_declared'),
      );
    }
  };

  return {
    async add(user) {
      users.push(user);
      const on = current;
      if (on !== undefined) await openOnce(user, on).catch(() => void reopen(user, on));
    },
    async openAll(connection) {
      const on: Connected = {
        connection,
        started: new Set(),
        open: new Set(),
        reopening: new Set(),
        ended: new AbortController(),
      };
      latest = on;
      await declare(connection);
      on.ended.signal.throwIfAborted();
      current = on;
      for (const user of users) await openOnce(user, on);
      void keepDeclared(on);
    },
    disconnected() {
      latest?.ended.abort();
      current = undefined;
    },
    areAllOpen: () => current !== undefined && users.every((user) => current?.open.has(user)),
  };
}

/** Creates a channel user: `open` opens its channel and `attach` prepares it. */
export function createChannelUser<C extends Channel>(
  open: (connection: ChannelModel) => Promise<C>,
  attach: (channel: C) => Promise<void>,
): ChannelUser {
  return {
    async openOn(connection, onClose) {
      const channel = await open(connection);
      // After the event `error`, the channel emits `close`, which is handled below. Without a listener for `error` the
      // process would exit.
      channel.on('error', () => {});
      channel.on('close', onClose);
      try {
        await attach(channel);
      } catch (error) {
        channel.close().catch(() => {});
        throw error;
      }
    },
  };
}

async function openChannel(connection: ChannelModel): Promise<Channel> {
  const channel = await connection.createChannel();
  // A failed call on the channel rejects with the same error as the event `error`. Without a listener for this event
  // the process would exit.
  channel.on('error', () => {});
  return channel;
}
