import { createServer, IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import { maxHeaderLines, rejectMalformedBytes } from './reject-malformed-requests.js';
import { guardAgainstSlowClients, type SlowClientLimits } from './slow-client-guard.js';

export interface HttpServer {
  url: string;
  port: number;
  /**
   * Stops accepting connections, waits up to `deadlineMs` for requests in progress, and then closes all connections.
   */
  close(deadlineMs: number): Promise<void>;
}

export interface ListenOptions {
  host: string;
  port: number;
  /** Limits for connections that tests override. */
  limits?: Partial<SlowClientLimits>;
}

/**
 * Starts an HTTP server. Timeouts: 10 s for the header, 30 s for a whole request, 65 s for an idle connection. The idle
 * timeout exceeds the usual 60 s of load balancers. With a shorter timeout, a load balancer could reuse a connection
 * that the server is closing.
 * @throws Error with a message for people if the address cannot be bound
 */
export async function listen(
  app: RequestListener,
  { host, port, limits }: ListenOptions,
): Promise<HttpServer> {
  const server = createServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 65_000,
      connectionsCheckingInterval: 5_000,
      // Maximum size of the header, in bytes. An access token that lists a few hundred workspaces fits.
      maxHeaderSize: 32_768,
      // Node does not check the Host header, because it would respond without a body. The app checks the header
      // instead, and responds with a problem document if it is missing.
      requireHostHeader: false,
      ...(isExpress(app) && classesOf(app)),
    },
    // The request that exceeds the limit on pipelined requests has closed its connection and is not started.
    (request, response) => {
      if (!request.socket.destroyed) app(request, response);
    },
  );
  // Node drops header lines above its limit without an error. Its limit is one line higher than that of the app, so the
  // app sees the additional line and rejects the request.
  server.maxHeadersCount = maxHeaderLines + 1;
  guardAgainstSlowClients(server, limits);
  rejectMalformedBytes(server);
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  await bind(server, { host, port });
  const address = server.address() as AddressInfo;
  const shownHost = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${shownHost}:${address.port}`,
    port: address.port,
    close: createDrain(server),
  };
}

function isExpress(app: RequestListener): app is Express {
  return 'request' in app && 'response' in app;
}

/**
 * Returns classes with which Node creates the requests and responses of an express app. Express sets the prototype of
 * each request and response to `app.request` and `app.response`. V8 cannot optimize code for objects whose prototype
 * has changed, and keeps them in memory for longer: with one small route, a request then takes twice the CPU time.
 * Objects of these classes have the right prototype from the start, so that express changes nothing.
 */
function classesOf(app: Express) {
  class AppRequest extends IncomingMessage {}
  class AppResponse extends ServerResponse {}
  app.request = Object.setPrototypeOf(AppRequest.prototype, app.request);
  app.response = Object.setPrototypeOf(AppResponse.prototype, app.response);
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}

function bind(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) =>
      reject(new Error(`Cannot listen on ${host}:${port}: ${bindErrorReason(cause)}.`, { cause })),
    );
    server.listen({ host, port }, () => {
      server.removeAllListeners('error');
      resolve();
    });
  });
}

function bindErrorReason({ code = '', message }: NodeJS.ErrnoException): string {
  const reasons: Record<string, string> = {
    EADDRINUSE: 'another process listens there',
    EACCES: 'this user may not bind that port',
    EADDRNOTAVAIL: 'this machine has no such address',
  };
  return reasons[code] ?? message;
}

function createDrain(server: Server): (deadlineMs: number) => Promise<void> {
  let closing = false;
  server.prependListener('request', (_request, response) => {
    if (closing) response.setHeader('Connection', 'close');
    // A keep-alive connection becomes idle after its response. The listener closes it, because `server.close` closes
    // only connections that are idle when it is called.
    response.once('close', () => closing && setImmediate(() => server.closeIdleConnections()));
  });
  return async (deadlineMs) => {
    closing = true;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    const timer = setTimeout(() => server.closeAllConnections(), deadlineMs);
    await closed;
    clearTimeout(timer);
  };
}
