import type { ServerResponse } from 'node:http';
import { Agent, get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { until } from '@tocsin/testing';
import express from 'express';
import { listen } from './server.js';

const address = { host: '127.0.0.1', port: 0 };

/** Creates an app that stores each response for the test to send. */
function deferredApp() {
  const pending: ServerResponse[] = [];
  return { app: (_request: unknown, response: ServerResponse) => void pending.push(response), pending };
}

function request(
  url: string,
  agent: Agent,
): Promise<{ status?: number | undefined; connection?: string | undefined }> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      response.resume();
      response.on('end', () =>
        resolve({ status: response.statusCode, connection: response.headers.connection }),
      );
    }).on('error', reject);
  });
}

test('listening on a port in use fails with one sentence that names the port', async () => {
  const first = await listen(() => {}, address);
  await expect(listen(() => {}, { host: '127.0.0.1', port: first.port })).rejects.toThrow(
    `Cannot listen on 127.0.0.1:${first.port}: another process listens there.`,
  );
  await first.close(100);
});

test('express does not change the prototype of a request or a response', async () => {
  const app = express().get('/', (request, response) => {
    const kept = [request, response].map(
      (message) => Object.getPrototypeOf(message) === message.constructor.prototype,
    );
    response.json({ kept, host: request.hostname });
  });
  const server = await listen(app, address);
  const response = await fetch(server.url);
  expect(await response.json()).toEqual({ kept: [true, true], host: '127.0.0.1' });
  await server.close(100);
});

test('closing a server waits for requests in progress but not for idle connections', async () => {
  const { app, pending } = deferredApp();
  const server = await listen(app, address);
  const agent = new Agent({ keepAlive: true });
  const idle = request(server.url, agent);
  await until('the request has arrived', () => pending.length === 1);
  pending.pop()?.end('first');
  await idle;
  const inFlight = request(server.url, agent);
  await until('the request has arrived', () => pending.length === 1);
  const closed = server.close(10_000);
  await expect(request(server.url, new Agent())).rejects.toThrow('ECONNREFUSED');
  pending.pop()?.end('second');
  expect(await inFlight).toMatchObject({ status: 200 });
  await closed;
  agent.destroy();
});

test('a request that is still in progress at the shutdown deadline is disconnected', async () => {
  const { app, pending } = deferredApp();
  const server = await listen(app, address);
  const outcome = expect(request(server.url, new Agent())).rejects.toThrow('socket hang up');
  await until('the request has arrived', () => pending.length === 1);
  await server.close(20);
  await outcome;
});

function sendBytes(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let response = '';
    connect(port, '127.0.0.1', function sent(this: Socket) {
      this.write(bytes);
    })
      .on('data', (chunk) => {
        response += chunk;
      })
      .on('error', reject)
      .on('close', () => resolve(response));
  });
}

test.each([
  ['FOO / HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'invalid_request'],
  ['\x16\x03\x01\r\n\r\n', 400, 'invalid_request'],
  [
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n',
    400,
    'invalid_request',
  ],
  [`GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(40_000)}\r\n\r\n`, 431, 'headers_too_large'],
])('invalid HTTP or a header that is too large gets a problem (case %#)', async (bytes, status, code) => {
  const server = await listen((_request, response) => response.end('served'), address);
  const [head = '', body = ''] = (await sendBytes(server.port, bytes)).split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(head).toContain('Content-Type: application/problem+json');
  expect(JSON.parse(body)).toMatchObject({ status, code, detail: expect.stringMatching(/ .*\.$/) });
  await server.close(100);
});

test('a client that sends invalid bytes during a response gets no problem document', async () => {
  const server = await listen((_request, response) => void response.write('started'), address);
  const response = await sendBytes(
    server.port,
    'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nno chunk\r\n',
  ).catch(() => '');
  expect(response).not.toContain('problem+json');
  await server.close(100);
});

test('a request whose chunk extensions are too large gets 413 and a problem document', async () => {
  const server = await listen(() => {}, address);
  const bytes = `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1;${'a'.repeat(20_000)}`;
  const [head = '', body = ''] = (await sendBytes(server.port, bytes)).split('\r\n\r\n');
  await server.close(100);
  expect(head).toMatch(/^HTTP\/1.1 413 /);
  expect(JSON.parse(body)).toMatchObject({ status: 413, code: 'payload_too_large' });
});
