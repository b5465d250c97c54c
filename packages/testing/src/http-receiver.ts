import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedRequest {
  path: string;
  /** Header names and values as received, in the order name, value, name, value and so on. */
  rawHeaders: string[];
  /** Body decoded as UTF-8; `bytes` has the exact bytes. */
  body: string;
  bytes: Buffer;
  /** Time at which the body was complete, in Unix milliseconds. */
  atMs: number;
}

/** Writes the response. If the function writes nothing, the client gets no response and waits. */
type Respond = (request: ReceivedRequest, response: ServerResponse) => void;

export interface HttpReceiver {
  /** All received requests, oldest first. */
  received: ReceivedRequest[];
  url(path: string): string;
  /** Replaces the response to a path; the default is 200 with the body "ok". */
  respond(path: string, respond: Respond): void;
  /** Returns the requests to a path, oldest first. */
  at(path: string): ReceivedRequest[];
  close(): Promise<void>;
}

/**
 * Starts an HTTP server on a free port of 127.0.0.1. It records each request, and is the destination of webhooks in
 * tests.
 */
export async function startHttpReceiver(): Promise<HttpReceiver> {
  const received: ReceivedRequest[] = [];
  const responses = new Map<string, Respond>();
  const server = createServer(async (request, response) => {
    const { url: path = '', rawHeaders } = request;
    const bytes = await readAll(request);
    const entry = { path, rawHeaders, body: bytes.toString('utf8'), bytes, atMs: Date.now() };
    received.push(entry);
    const respond = responses.get(path);
    if (respond === undefined) response.end('ok');
    else respond(entry, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    received,
    url: (path) => `http://127.0.0.1:${port}${path}`,
    respond: (path, respond) => void responses.set(path, respond),
    at: (path) => received.filter((entry) => entry.path === path),
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}
