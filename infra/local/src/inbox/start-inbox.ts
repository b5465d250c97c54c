import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { reasonToReject } from '../local-request.js';
import { readBody } from '../read-body.js';
import { renderPage } from '../render-page.js';
import { readBehaviour } from './behaviour.js';
import { createRequestLog, type ReceivedRequest, type RequestLog } from './request-log.js';

export interface InboxOptions {
  /** Port on 127.0.0.1. 0 selects any free port. */
  port: number;
  /** Maximum number of stored requests. By default 200. */
  capacity?: number;
}

export interface RunningInbox {
  url: string;
  /** Returns the stored requests, newest first. */
  received(): ReceivedRequest[];
  clear(): void;
  close(): Promise<void>;
}

/**
 * Starts a destination that stores requests. GET / shows them, GET /requests returns them as JSON, and DELETE /requests
 * deletes them. These three are rejected if they come from a web page of another site. Every other request with a body
 * of at most 1 MiB is stored, regardless of its headers.
 */
export async function startInbox({ port, capacity = 200 }: InboxOptions): Promise<RunningInbox> {
  const log = createRequestLog(capacity);
  const server = createServer((request, response) => {
    respond(log, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: log.list,
    clear: log.clear,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function respond(log: RequestLog, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url = '/' } = request;
  const isForPeople =
    (method === 'GET' && url === '/') || (url === '/requests' && (method === 'GET' || method === 'DELETE'));
  if (!isForPeople) return receive(log, request, response);
  const reason = reasonToReject(request);
  if (reason !== undefined) {
    response.writeHead(403, { 'content-type': 'text/plain; charset=utf-8' }).end(`${reason}\n`);
    return;
  }
  if (url === '/')
    return send(
      response,
      'text/html; charset=utf-8',
      renderPage('inbox', { title: 'Inbox', requests: log.list() }),
    );
  if (method === 'DELETE') log.clear();
  send(response, 'application/json', JSON.stringify(log.list()));
}

async function receive(log: RequestLog, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url = '/', rawHeaders } = request;
  const receivedAt = new Date().toISOString();
  const body = await readBody(request, { what: 'body', maxBytes: 1_048_576 });
  const behaviour = readBehaviour(url);
  log.add({
    receivedAt,
    method,
    url,
    headers: pairUp(rawHeaders),
    body: body.toString('utf8'),
    bodyBase64: body.toString('base64'),
    responseStatus: behaviour.hangUp ? 0 : behaviour.status,
  });
  if (behaviour.delayMs > 0) await sleep(behaviour.delayMs);
  if (behaviour.hangUp) {
    response.destroy();
    return;
  }
  response.writeHead(behaviour.status, { 'content-type': 'text/plain', ...behaviour.headers });
  response.end(
    behaviour.status === 204 || behaviour.status === 304 ? undefined : `inbox: ${behaviour.status}\n`,
  );
}

function send(response: ServerResponse, type: string, text: string): void {
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' }).end(text);
}

function pairUp(rawHeaders: readonly string[]): [string, string][] {
  return rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? '']] : []));
}
