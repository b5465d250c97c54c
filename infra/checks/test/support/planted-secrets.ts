import { createServer, type Server } from 'node:net';
import { createBroker, createPublisher } from '@tocsin/messaging';
import { tokenOf } from './requests.js';

/** Test secrets of all kinds. No output may contain one of them in any encoding. */
export const secrets = {
  url: 'url-Secret-1/with+plus',
  query: 'query Secret 2',
  header: 'header-Secret-3=',
  body: 'body"Secret\\4',
  token: 'token-Secret-5',
  key: 'key-Secret-6',
  adminKey: 'admin-Secret-7',
  databasePassword: 'dbSecret8',
  brokerPassword: 'brokerSecret9',
  encryption: Buffer.from('cipher-key-Secret-10-01234567890').toString('base64'),
  userinfo: 'userinfoSecret11',
  message: 'message-Secret-12',
  response: 'response-Secret-13',
  cursor: 'cursorSecret14',
};

/** Returns the address with another user and password. */
export function withCredentials(address: string, user: string, password: string): string {
  const url = new URL(address);
  url.username = user;
  url.password = password;
  return url.href;
}

/** Returns the encodings in which an output could contain a secret. */
export function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    // The body of a request is logged as JSON inside a JSON string, so it is escaped twice.
    JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ];
}

/**
 * Starts a destination. The first segment of the path selects the response. The server uses a raw socket, so that it
 * can also send bytes that are not HTTP.
 */
export async function startRawDestination() {
  const responses: Record<string, string> = {
    ok: 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
    fail: `HTTP/1.1 500 ${secrets.response}\r\nContent-Length: ${secrets.response.length}\r\n\r\n${secrets.response}`,
    redirect: `HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/${secrets.response}\r\nContent-Length: 0\r\n\r\n`,
    noise: `${secrets.response} is no HTTP\r\n\r\n`,
    cut: `HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n${secrets.response}`,
  };
  const server: Server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (data) => {
      const kind = /^POST \/(\w+)/.exec(data.toString())?.[1] ?? 'ok';
      socket.end(responses[kind] ?? '');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return { port, close: () => new Promise((resolve) => server.close(resolve)) };
}

export interface Call {
  method?: string;
  as?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** Returns a function that calls an API with the token of a user. The returned function adds each token to `given`. */
export function createCall(given: string[]) {
  return async function call(url: string, { method = 'POST', as = 'admin', body, headers = {} }: Call = {}) {
    const token = as.startsWith('Bearer') ? as : `Bearer ${await tokenOf(as)}`;
    given.push(token.replace('Bearer ', ''));
    const response = await fetch(url, {
      method,
      headers: { Authorization: token, 'Content-Type': 'application/json', ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    return { status: response.status, body: isJson ? JSON.parse(text) : undefined };
  };
}

/** Publishes one malformed message for each request id directly to the broker. */
export async function publishMalformed(amqpUrl: string, requestIds: readonly string[]): Promise<void> {
  const broker = await createBroker({ url: amqpUrl, name: 'test' });
  const publisher = await createPublisher(broker);
  await broker.ready();
  const content = Buffer.from(`{"not": an alert, "secret": "${secrets.message}"`);
  for (const id of requestIds) {
    const headers = { 'x-request-id': id };
    await publisher.publish({ exchange: 'tocsin.alerts', routingKey: 'alert.fired', content, headers });
  }
  await broker.close();
}
