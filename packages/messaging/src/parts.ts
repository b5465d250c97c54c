import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@tocsin/kit';
import type { Channel, ChannelModel } from 'amqplib';
import { declareTopology } from './topology.js';

/** What lives on a channel of its own. */
export interface Part {
  /** Opens the channel and readies it; `onClose` is called when it ends, also where that is why this rejects. */
  openOn(model: ChannelModel, onClose: () => void): Promise<void>;
}

/** The parts of one connection. A channel that ends alone is opened again, and what it needs declared anew first. */
export interface Parts {
  add(part: Part): Promise<void>;
  /** Opens all on a new connection. Rejects where one cannot be opened. */
  openAll(model: ChannelModel): Promise<void>;
  /** The connection is gone, and every channel with it. */
  lost(): void;
  areOpen(): boolean;
}

export interface PartsOptions {
  declareEveryMs: number;
  logger: Pick<Logger, 'info' | 'warn'>;
  /** A part has been opened. */
  onOpen: () => void;
  /** What all share has been declared again. */
  onDeclared: () => void;
}

/** A connection, and which of the parts are open on it. */
interface Opened {
  model: ChannelModel;
  begun: Set<Part>;
  open: Set<Part>;
  reopening: Set<Part>;
}

/** A channel that the broker ends as soon as it is used must not keep both of us busy. */
const reopenMs = 1_000;

export function createParts({ declareEveryMs, logger, onOpen, onDeclared }: PartsOptions): Parts {
  const parts: Part[] = [];
  let present: Opened | undefined;

  const declareOn = (model: ChannelModel): Promise<void> =>
    declareTopology(
      () => openBare(model),
      (declared, err) => logger.warn({ declared, err }, 'broker.declared_otherwise'),
    );
  const open = async (part: Part, on: Opened): Promise<void> => {
    let isClosed = false;
    await part.openOn(on.model, () => {
      isClosed = true;
      on.open.delete(part);
      void reopen(part, on);
    });
    if (isClosed) return;
    on.open.add(part);
    onOpen();
  };
  /** A part can be added while the others are being opened: it must not be opened twice. */
  const openOnce = async (part: Part, on: Opened): Promise<void> => {
    if (on.begun.has(part)) return;
    on.begun.add(part);
    await open(part, on);
  };
  /** Until it is open, or the connection has gone too: then all are opened on the next. */
  const reopen = async (part: Part, on: Opened): Promise<void> => {
    if (on.reopening.has(part)) return;
    on.reopening.add(part);
    while (!on.open.has(part)) {
      await sleep(reopenMs, undefined, { ref: false });
      if (present !== on) return;
      try {
        await declareOn(on.model);
        await open(part, on);
        logger.info({}, 'broker.channel_reopened');
      } catch (err) {
        logger.warn({ err }, 'broker.channel_not_reopened');
      }
    }
    on.reopening.delete(part);
  };
  /** Nobody is told of a binding that is taken away. */
  const keepDeclared = async (on: Opened): Promise<void> => {
    while (present === on) {
      await sleep(declareEveryMs, undefined, { ref: false });
      if (present !== on) return;
      await declareOn(on.model).then(onDeclared, (err: unknown) =>
        logger.warn({ err }, 'broker.topology_not_declared'),
      );
    }
  };

  return {
    async add(part) {
      parts.push(part);
      const on = present;
      if (on !== undefined) await openOnce(part, on).catch(() => void reopen(part, on));
    },
    async openAll(model) {
      await declareOn(model);
      const on: Opened = { model, begun: new Set(), open: new Set(), reopening: new Set() };
      present = on;
      for (const part of parts) await openOnce(part, on);
      void keepDeclared(on);
    },
    lost() {
      present = undefined;
    },
    areOpen: () => present !== undefined && parts.every((part) => present?.open.has(part)),
  };
}

/** A part whose channel `open` opens and `attach` readies. */
export function createPart<C extends Channel>(
  open: (model: ChannelModel) => Promise<C>,
  attach: (channel: C) => Promise<void>,
): Part {
  return {
    async openOn(model, onClose) {
      const channel = await open(model);
      // Told of by `close` too; without a listener it ends the process.
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

async function openBare(model: ChannelModel): Promise<Channel> {
  const channel = await model.createChannel();
  // Told of by what is being done on it too; without a listener it ends the process.
  channel.on('error', () => {});
  return channel;
}
