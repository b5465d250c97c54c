import { type Logger, sleep } from '@tocsin/kit';
import type { Channel, ChannelModel } from 'amqplib';
import { declareTopology } from './topology.js';

/** A part of the program that needs a channel of its own. */
export interface ChannelUser {
  /** Opens and prepares the channel. `onClose` is called when the channel ends, also if the preparation fails because of it. */
  openOn(connection: ChannelModel, onClose: () => void): Promise<void>;
}

/** The channels of one broker connection. A channel that ends alone is opened again, after the topology was declared. */
export interface ChannelRegistry {
  /** Opens a channel now if there is a connection, and on every later connection. */
  add(user: ChannelUser): Promise<void>;
  /** Opens all channels on a new connection. Rejects if one of them cannot be opened. */
  openAll(connection: ChannelModel): Promise<void>;
  /** Call it when the connection has ended. All its channels have ended with it. */
  disconnected(): void;
  areAllOpen(): boolean;
}

export interface ChannelRegistryOptions {
  /** Interval between two declarations of the topology. Undefined: the topology is never declared. */
  declareEveryMs: number | undefined;
  logger: Pick<Logger, 'info' | 'warn'>;
  /** Called when a channel is open and prepared. */
  onOpen: () => void;
  /** Called when the topology has been declared again on a connection that was already open. */
  onDeclared: () => void;
}

/** The state of the users' channels on one connection. */
interface Connected {
  connection: ChannelModel;
  started: Set<ChannelUser>;
  open: Set<ChannelUser>;
  reopening: Set<ChannelUser>;
  /** Aborted when the connection has ended. */
  ended: AbortController;
}

/** Limits the work for a channel that the broker ends as soon as it is used. */
const reopenMs = 1_000;

export function createChannelRegistry(options: ChannelRegistryOptions): ChannelRegistry {
  const { declareEveryMs, logger, onOpen, onDeclared } = options;
  const users: ChannelUser[] = [];
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
  /** A user can be added while the other channels are being opened: its channel must not be opened twice. */
  const openOnce = async (user: ChannelUser, on: Connected): Promise<void> => {
    if (on.started.has(user)) return;
    on.started.add(user);
    await open(user, on);
  };
  /** Repeats until the channel is open, or the connection has ended too: the next connection opens all channels. */
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
  /** The broker does not report when an operator removes a binding, so the topology is declared again every 30 s. */
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
      await declare(connection);
      const on: Connected = {
        connection,
        started: new Set(),
        open: new Set(),
        reopening: new Set(),
        ended: new AbortController(),
      };
      current = on;
      for (const user of users) await openOnce(user, on);
      void keepDeclared(on);
    },
    disconnected() {
      current?.ended.abort();
      current = undefined;
    },
    areAllOpen: () => current !== undefined && users.every((user) => current?.open.has(user)),
  };
}

/** A user whose channel `open` opens and `attach` prepares. */
export function createChannelUser<C extends Channel>(
  open: (connection: ChannelModel) => Promise<C>,
  attach: (channel: C) => Promise<void>,
): ChannelUser {
  return {
    async openOn(connection, onClose) {
      const channel = await open(connection);
      // An error is followed by `close`. Without a listener it would end the process.
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
  // The call in progress rejects with the error, too. Without a listener it would end the process.
  channel.on('error', () => {});
  return channel;
}
