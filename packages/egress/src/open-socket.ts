import { connect, type LookupFunction, type Socket } from 'node:net';
import { type SecureContext, connect as startTls } from 'node:tls';
import type { TickThrottle } from '@tocsin/kit';
import { type Cidr, isAddressAllowed } from './address-rules.js';
import type { Cancellation } from './cancellation.js';
import { allowHint, type Destination } from './destination.js';
import { limitBytesRead } from './limit-bytes-read.js';
import type { Lookup } from './lookup.js';
import { connectFailureOf, SendFailure, tlsFailureOf } from './send-failure.js';

export interface SocketOpenerOptions {
  lookup: Lookup;
  allow: readonly Cidr[];
  secureContext: SecureContext;
  /** Time limit for name resolution, TCP and TLS together, in milliseconds. */
  connectTimeoutMs: number;
  /**
   * Limits the timeouts that are handled in one tick of the event loop, so that simultaneous timeouts do not block the
   * event loop.
   */
  timeouts: TickThrottle;
  /** TLS sessions to resume, by origin. */
  sessions: { get(origin: string): Buffer | undefined; set(origin: string, session: Buffer): void };
}

export interface OpenSocket {
  /** Stream for the bytes of HTTP: the TLS socket, or the TCP socket without TLS. */
  socket: Socket;
  /** The TCP socket, which is below the TLS socket if there is one. */
  wire: Socket;
}

/** Time after which an attempt to connect to one address ends and the next address is tried, in milliseconds. */
const addressTimeoutMs = 1500;

/**
 * Maximum number of bytes that are read in a TLS handshake. This is enough: OpenSSL accepts at most 100 KiB of
 * certificates, and the other messages are small.
 */
const maxHandshakeBytes = 262_144;

/**
 * Maximum number of TLS sessions that are stored for one connection. Servers usually send two tickets. Further tickets
 * would only cost memory.
 */
const maxSessionsOfSocket = 2;

/**
 * Opens a socket to the destination, TLS included. The name is resolved once. All its addresses must be allowed, and
 * only these addresses are dialled.
 * @throws SendFailure
 */
export async function openSocket(
  destination: Destination,
  options: SocketOpenerOptions,
  cancellation: Cancellation,
): Promise<OpenSocket> {
  const attempt: Attempt = { stage: 'lookup' };
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const stopped = new Promise<never>((_, reject) => {
    const stop = (reason: SendFailure) => {
      if (isOver) return;
      // The time limit of the whole send can be shorter than that of connecting. The code `timeout` would mean that the
      // destination may have received the request.
      const failure = reason.code === 'timeout' ? timeoutFailure(attempt.stage) : reason;
      attempt.failure = failure;
      attempt.socket?.destroy();
      reject(failure);
    };
    const onTimeout = () => options.timeouts.schedule(() => stop(timeoutFailure(attempt.stage)));
    timer = setTimeout(onTimeout, options.connectTimeoutMs);
    cancellation.listen(stop);
  });
  try {
    return await Promise.race([stopped, open(destination, options, attempt)]);
  } finally {
    isOver = true;
    clearTimeout(timer);
    cancellation.listen(undefined);
  }
}

interface Attempt {
  stage: 'lookup' | 'tcp' | 'tls';
  socket?: Socket;
  /** Reason why the opening of the socket was cancelled or timed out. */
  failure?: SendFailure;
}

async function open(
  destination: Destination,
  options: SocketOpenerOptions,
  attempt: Attempt,
): Promise<OpenSocket> {
  const addresses = await allowedAddresses(destination, options);
  if (attempt.failure) throw attempt.failure;
  attempt.stage = 'tcp';
  const wire = await dial(destination, addresses, attempt);
  if (!destination.isTls || attempt.failure) return { socket: wire, wire };
  attempt.stage = 'tls';
  return { socket: await secure(destination, options, { attempt, wire }), wire };
}

async function allowedAddresses(
  { hostname, isLiteral }: Destination,
  { lookup, allow }: SocketOpenerOptions,
): Promise<string[]> {
  const addresses = isLiteral ? [hostname] : await lookupOrFail(lookup, hostname);
  if (addresses.every((address) => isAddressAllowed(address, allow))) return addresses;
  const sentence = `The destination is at an address that deliveries may not reach; ${allowHint}.`;
  throw new SendFailure('blocked_address', sentence);
}

async function lookupOrFail(lookup: Lookup, hostname: string): Promise<string[]> {
  try {
    const addresses = await lookup(hostname);
    if (addresses.length > 0) return addresses;
  } catch (cause) {
    throw new SendFailure('dns_failure', 'The name of the destination does not resolve.', { cause });
  }
  throw new SendFailure('dns_failure', 'The name of the destination has no address.');
}

function dial({ hostname, port }: Destination, addresses: string[], attempt: Attempt): Promise<Socket> {
  const checked = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  const lookup: LookupFunction = (_hostname, _options, callback) => callback(null, checked);
  const socket = connect({
    host: hostname,
    port,
    lookup,
    noDelay: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: addressTimeoutMs,
  });
  attempt.socket = socket;
  return new Promise((resolve, reject) => {
    socket.once('connect', () => resolve(socket)).on('error', (error) => reject(connectFailureOf(error)));
  });
}

async function secure(
  { hostname, isLiteral, origin }: Destination,
  { secureContext, sessions }: SocketOpenerOptions,
  { attempt, wire }: { attempt: Attempt; wire: Socket },
): Promise<Socket> {
  const session = sessions.get(origin);
  const tlsSocket = startTls({
    socket: wire,
    secureContext,
    // A URL can name its host with a trailing dot, as "example.com.". The dot is removed for TLS, because the name in a
    // certificate has none.
    ...(isLiteral ? { host: hostname } : { servername: hostname.replace(/\.$/, '') }),
    ALPNProtocols: ['http/1.1'],
    ...(session && { session }),
  });
  attempt.socket = tlsSocket;
  let sessionsKept = 0;
  const keepSession = (fresh: Buffer) => {
    sessions.set(origin, fresh);
    sessionsKept += 1;
    if (sessionsKept === maxSessionsOfSocket) tlsSocket.off('session', keepSession);
  };
  const limit = limitBytesRead(wire, maxHandshakeBytes, () => tlsSocket.destroy(endlessHandshake()));
  try {
    return await new Promise((resolve, reject) => {
      tlsSocket
        .on('session', keepSession)
        .once('secureConnect', () => resolve(tlsSocket))
        .on('error', (error) => {
          reject(tlsFailureOf(error));
          // After an invalid TLS record or a TLS alert, Node reports an error but leaves the connection open.
          tlsSocket.destroy();
        });
    });
  } finally {
    limit.stop();
  }
}

function endlessHandshake(): SendFailure {
  return new SendFailure('tls_failure', 'The destination sends too much within the TLS handshake.');
}

function timeoutFailure(stage: Attempt['stage']): SendFailure {
  if (stage === 'lookup') {
    return new SendFailure('dns_failure', 'The name of the destination did not resolve in time.');
  }
  const step = stage === 'tcp' ? 'The connection was' : 'The TLS handshake was';
  return new SendFailure('connect_timeout', `${step} not made in time.`);
}
