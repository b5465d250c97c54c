import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { exponentialBackoffMs, sleep, withTimeout } from '@tocsin/kit';
import { type ChannelModel, connect } from 'amqplib';

export interface KeepConnectedOptions {
  /** amqp:// or amqps://user:password@host:port/vhost?cacertfile=…&certfile=…&keyfile=… */
  url: string;
  /** Name of the connection, as the broker lists it. */
  name: string;
  /** Opens the channels of a new connection. If it rejects, the connection is dropped and a further one is opened. */
  attach: (connection: ChannelModel) => Promise<void>;
  onConnected: () => void;
  /** `disconnected`: an attached connection has ended. `unreachable`: an attempt to connect or attach has failed. */
  onLost: (event: 'disconnected' | 'unreachable', error: unknown) => void;
  /** Decides whether an error before the first attached connection ends the attempts for good. */
  stopsAttempts: (error: unknown) => boolean;
}

const heartbeatSeconds = 10;
const connectTimeoutMs = 10_000;
/** A broker that is frozen or gone never replies to the close of a connection. */
const closeTimeoutMs = 2_000;
const backoff = { firstMs: 100, maxMs: 5_000 };

/**
 * Keeps one connection open, with a backoff between attempts. amqplib's own recovery is not used: it closes a connection
 * politely when `attach` fails, and waits forever if the broker is silent by then.
 * @returns the function that closes the connection for good
 */
export function keepConnected(options: KeepConnectedOptions): () => Promise<void> {
  const { url, name, attach, onConnected, onLost, stopsAttempts } = options;
  const closing = new AbortController();
  let connection: ChannelModel | undefined;
  /** Aborted to destroy the socket of the present attempt or connection. */
  let socket = new AbortController();

  const attempt = async (onAttached: () => void): Promise<void> => {
    socket = new AbortController();
    try {
      connection = await connect(withHeartbeat(url), {
        ...socketOptions(name, socket.signal),
        ...readCertificates(url),
      });
      // An error is followed by `close`. Without a listener it would end the process.
      connection.on('error', () => {});
      joinWrites(connection);
      const closed = endOf(connection);
      await Promise.race([attach(connection), closed]);
      onAttached();
      await closed;
    } finally {
      connection = undefined;
      socket.abort();
    }
  };
  const run = async (): Promise<void> => {
    let wasAttached = false;
    for (let failures = 0; !closing.signal.aborted; failures += 1) {
      let isAttached = false;
      const onAttached = () => {
        isAttached = true;
        wasAttached = true;
        failures = 0;
        onConnected();
      };
      try {
        await attempt(onAttached);
      } catch (error) {
        if (closing.signal.aborted) return;
        onLost(isAttached ? 'disconnected' : 'unreachable', error);
        if (!wasAttached && stopsAttempts(error)) return;
      }
      await sleep(exponentialBackoffMs(failures + 1, backoff), closing.signal);
    }
  };
  const ended = run();
  return async () => {
    closing.abort();
    const close = async () => connection?.close();
    await withTimeout(close(), { timeoutMs: closeTimeoutMs }).catch(() => {});
    socket.abort();
    await ended;
  };
}

/** amqplib passes these options on to `net.connect` or `tls.connect`, which destroy the socket when `signal` is aborted. */
function socketOptions(name: string, signal: AbortSignal) {
  return { clientProperties: { connection_name: name }, timeout: connectTimeoutMs, noDelay: true, signal };
}

/** PEM files that the URL names, for `tls.connect`. They are read for each connection, so that renewed ones are used. */
function readCertificates(url: string): { ca?: Buffer; cert?: Buffer; key?: Buffer } {
  const { searchParams } = new URL(url);
  const options = { ca: 'cacertfile', cert: 'certfile', key: 'keyfile' };
  return Object.fromEntries(
    Object.entries(options).flatMap(([option, parameter]) => {
      const path = searchParams.get(parameter);
      return path === null ? [] : [[option, readFileSync(path)]];
    }),
  );
}

/**
 * Joins the frames of one turn of the event loop into one system call; amqplib makes a call for each frame. The socket is not
 * part of its public interface.
 */
function joinWrites({ connection }: ChannelModel): void {
  const { stream } = connection as unknown as { stream: Socket };
  const write: Socket['write'] = stream.write.bind(stream);
  stream.write = ((...parameters: Parameters<typeof write>) => {
    if (stream.writableCorked === 0) {
      stream.cork();
      process.nextTick(() => stream.uncork());
    }
    return write(...parameters);
  }) as Socket['write'];
}

/** Returns a promise that rejects when the connection has ended. */
function endOf(connection: ChannelModel): Promise<never> {
  return new Promise((_, reject) => {
    connection.once('close', (error?: Error) =>
      reject(error ?? new Error('The broker has closed the connection.')),
    );
  });
}

function withHeartbeat(url: string): string {
  const address = new URL(url);
  if (!address.searchParams.has('heartbeat')) address.searchParams.set('heartbeat', String(heartbeatSeconds));
  return address.href;
}
