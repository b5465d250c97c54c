import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { cutSlowReaders, type SlowReaderLimits } from './cut-slow-readers.js';
import { maxHeaderLines } from './header-count.js';
import { answerMalformedRequests } from './malformed-request.js';

export interface HttpServer {
  url: string;
  port: number;
  /** Stops accepting, lets what is in flight finish for `deadlineMs`, then cuts it. */
  close(deadlineMs: number): Promise<void>;
}

export interface ListenOptions {
  host: string;
  port: number;
  /** The seam for tests. */
  limits?: Partial<SlowReaderLimits> & { maxConnections?: number };
}

/** About 100 MiB where all are idle; a proxy needs a few hundred. */
const defaultMaxConnections = 4_000;

/**
 * Listens. Time-outs: headers 10 s, a whole request 30 s, an idle connection 65 s (longer than the usual load
 * balancer's 60, so that it never reuses a connection that we are closing). Who does not read is cut.
 * @throws Error with a plain sentence when the address cannot be bound.
 */
export async function listen(
  app: RequestListener,
  { host, port, limits = {} }: ListenOptions,
): Promise<HttpServer> {
  const server = createServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 65_000,
      connectionsCheckingInterval: 5_000,
      // Room for an access token that lists a few hundred workspaces.
      maxHeaderSize: 32_768,
      // Refused by the app, with a problem document.
      requireHostHeader: false,
    },
    app,
  );
  // One more than is allowed, so that too many can be told.
  server.maxHeadersCount = maxHeaderLines + 1;
  boundConnections(server, limits.maxConnections ?? defaultMaxConnections);
  cutSlowReaders(server, limits);
  answerMalformedRequests(server);
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  await bind(server, { host, port });
  const address = server.address() as AddressInfo;
  const drain = createDrain(server);
  const shownHost = host.includes(':') ? `[${host}]` : host;
  return { url: `http://${shownHost}:${address.port}`, port: address.port, close: drain };
}

function bind(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => reject(describeBindError(cause, host, port)));
    server.listen({ host, port }, () => {
      server.removeAllListeners('error');
      resolve();
    });
  });
}

function describeBindError(cause: NodeJS.ErrnoException, host: string, port: number): Error {
  const reasons: Record<string, string> = {
    EADDRINUSE: 'another process listens there',
    EACCES: 'this user may not bind that port',
    EADDRNOTAVAIL: 'this machine has no such address',
  };
  const reason = reasons[cause.code ?? ''] ?? cause.message;
  return new Error(`Cannot listen on ${host}:${port}: ${reason}.`, { cause });
}

/**
 * Where all are taken, those make room that we wait for, the longest first: they are idle, or dawdle over a header or a
 * body.
 */
function boundConnections(server: Server, maxConnections: number): void {
  server.maxConnections = maxConnections;
  /** The requests under way; the connection on which one began or ended last stands last. */
  const open = new Map<Socket, Set<IncomingMessage>>();
  const moveToEnd = (socket: Socket, requests: Set<IncomingMessage>) => {
    open.delete(socket);
    if (!socket.destroyed) open.set(socket, requests);
  };
  server.on('connection', (socket) => {
    open.set(socket, new Set());
    socket.once('close', () => open.delete(socket));
  });
  server.prependListener('request', (request, response) => {
    const { socket } = request;
    const requests = open.get(socket) ?? new Set();
    moveToEnd(socket, requests.add(request));
    response.once('close', () => {
      requests.delete(request);
      moveToEnd(socket, requests);
    });
  });
  server.on('drop', () => {
    const waitedFor = [...open].filter(([, requests]) => [...requests].every(({ complete }) => !complete));
    for (const [socket] of waitedFor.slice(0, Math.ceil(maxConnections / 20))) socket.destroy();
  });
}

function createDrain(server: Server): (deadlineMs: number) => Promise<void> {
  let closing = false;
  server.prependListener('request', (_request, response) => {
    if (closing) response.setHeader('Connection', 'close');
    // A connection that is kept alive becomes idle when its answer is out; after that nothing else would close it.
    response.once('close', () => closing && setImmediate(() => server.closeIdleConnections()));
  });
  return async (deadlineMs) => {
    closing = true;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    const cut = setTimeout(() => server.closeAllConnections(), deadlineMs);
    await closed;
    clearTimeout(cut);
  };
}
