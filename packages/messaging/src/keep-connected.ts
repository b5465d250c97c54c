import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { unescape as decodePercent } from 'node:querystring';
import { exponentialBackoffMs, sleep, withTimeout } from '@tocsin/kit';
import { type ChannelModel, connect } from 'amqplib';

export interface KeepConnectedOptions {
  /** URL of the broker, in the form that `BrokerOptions.url` describes. */
  url: string;
  /** Name of the connection in the broker's management interface. */
  name: string;
  /** Opens the channels of a new connection. If it rejects, the connection is closed and another one is opened. */
  attach: (connection: ChannelModel) => Promise<void>;
  onConnected: () => void;
  /**
   * `disconnected`: a connection ended after `attach` succeeded. `unreachable`: an attempt to connect or to attach
   * failed.
   */
  onLost: (event: 'disconnected' | 'unreachable', error: unknown) => void;
  /**
   * Called with the error of each failed attempt before `attach` has succeeded for the first time. If it returns true,
   * no further attempt is made.
   */
  stopsAttempts: (error: unknown) => boolean;
}

const heartbeatSeconds = 10;
const connectTimeoutMs = 10_000;
/** Time limit for closing a connection, in milliseconds. A frozen or lost broker never replies to the close. */
const closeTimeoutMs = 2_000;
const backoff = { firstMs: 100, maxMs: 5_000 };

/**
 * Keeps one connection open, with a backoff between attempts. The reconnection of amqplib is not used: after a failure
 * of `attach`, amqplib would send a close request and wait for the reply without a time limit.
 * @returns function that closes the connection and ends all attempts
 */
export function keepConnected(options: KeepConnectedOptions): () => Promise<void> {
  const { url, name, attach, onConnected, onLost, stopsAttempts } = options;
  const closing = new AbortController();
  let connection: ChannelModel | undefined;
  /** Destroys the socket of the current attempt or connection when aborted. */
  let socket = new AbortController();

  const attempt = async (onAttached: () => void): Promise<void> => {
    socket = new AbortController();
    try {
      const options = { ...socketOptions(name, socket.signal), ...readCertificates(url) };
      connection = await connect(withHeartbeat(url), options).catch((error: unknown) => {
        throw isVirtualHostRejected(error) ? virtualHostRejected(url) : error;
      });
      // After the event `error`, the connection emits `close`, which is handled below. Without a listener for `error`
      // the process would exit.
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

/** Returns true for the error with which amqplib reports a rejected virtual host. It has no reply code or text. */
function isVirtualHostRejected(error: unknown): boolean {
  return (
    error instanceof Error && error.message.startsWith('Expected ConnectionOpenOk; got <ConnectionClose')
  );
}

function virtualHostRejected(url: string): Error {
  // amqplib decodes the name of the virtual host with the same function, `unescape` of `node:querystring`. Unlike
  // `decodeURIComponent`, it accepts a percent sign without two hexadecimal digits after it.
  const name = decodePercent(new URL(url).pathname.slice(1)) || '/';
  return new Error(
    `The broker rejects the virtual host ${JSON.stringify(name)}: it does not exist, is down or has reached a limit, or the user has no permission in it.`,
  );
}

/** Options that amqplib passes to `net.connect` or `tls.connect`. The socket is destroyed when `signal` is aborted. */
function socketOptions(name: string, signal: AbortSignal) {
  return { clientProperties: { connection_name: name }, timeout: connectTimeoutMs, noDelay: true, signal };
}

/** Reads the PEM files named in the URL. They are read for each connection, so that renewed certificates are used. */
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
 * Combines all frames that are written in one tick of the event loop into one system call. By default, amqplib makes
 * one system call for each frame. The socket is read from a private field of amqplib.
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

/** Returns a promise that rejects when the connection ends. */
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
