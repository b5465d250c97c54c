import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RawServer } from '@tocsin/testing';
import type { Sender } from '../src/index.js';
import { createLoopback } from './support/loopback.js';

const rest = 'Content-Length: 2\r\n\r\nok';
const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';

const ways: [string, (bytes: string) => string[]][] = [
  ['whole', (bytes) => [bytes]],
  ['split after two bytes', (bytes) => [bytes.slice(0, 2), bytes.slice(2)]],
  ['split before the status', (bytes) => [bytes.slice(0, 9), bytes.slice(9)]],
  ['a byte at a time', (bytes) => [...bytes]],
  ['after an interim response', (bytes) => [hints + bytes]],
  ['after an interim response, a byte at a time', (bytes) => [...(hints + bytes)]],
  ['after an interim response of 5 KiB', (bytes) => [hints.replace('a', 'a'.repeat(5000)) + bytes]],
  ['after empty lines', (bytes) => ['\r\n\r\n', `\r\n${bytes}`]],
];

const { startSender, startServer } = createLoopback();
let server: RawServer;
let sender: Sender;
/** The response to each request, in chunks that are sent one after the other. */
let responses: string[][];

beforeEach(async () => {
  server = await startServer((socket, index) => void writeApart(socket, responses[index] ?? []));
  sender = startSender();
});

const send = () => sender.send({ url: server.url, headers: {}, body: '{}' });

describe.each(ways)('the protocol check of responses that arrive %s', (_way, inChunks) => {
  test.each(['RTSP/1.0 200 OK', 'ICE/1.0 200 OK', 'ICY 200 OK', 'SIP/2.0 200 OK'])(
    'a response starting with %j is rejected as another protocol',
    expectInvalid,
  );
  test.each(['HTTP/0.9 200 OK', 'HTTP/1.2 200 OK', 'HTTP/2.0 200 OK', 'HTTP/2 200', 'HTTP/3.7 200 OK'])(
    'a response starting with %j is rejected as another HTTP version',
    expectInvalid,
  );
  async function expectInvalid(statusLine: string) {
    responses = [inChunks(`${statusLine}\r\n${rest}`)];
    expect(await send()).toMatchObject({
      kind: 'error',
      code: 'invalid_response',
      error: 'The response is not valid HTTP/1.1.',
    });
  }

  test.each(['HTTP/1.0 200 OK', 'HTTP/1.1 200 OK', 'HTTP/1.1 200'])(
    'a response starting with %j is accepted',
    async (statusLine) => {
      responses = [inChunks(`${statusLine}\r\n${rest}`)];
      expect(await send()).toMatchObject({ kind: 'response', statusCode: 200, body: 'ok' });
    },
  );
});

test('another protocol on a reused connection is rejected, and the next send succeeds', async () => {
  const ok = [`HTTP/1.1 200 OK\r\n${rest}`];
  responses = [ok, ['RT', `SP/1.0 200 OK\r\n${rest}`], ok];
  expect(await send()).toMatchObject({ statusCode: 200 });
  expect(await send()).toMatchObject({ code: 'invalid_response' });
  expect(await send()).toMatchObject({ statusCode: 200 });
  expect(server.sockets).toHaveLength(2);
});

test('a response body that looks like another protocol is unchanged', async () => {
  const body = 'RTSP/1.0 200 OK\r\n\r\n';
  const bytes = `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  responses = [[bytes], [bytes.slice(0, -body.length), body], [...bytes]];
  for (const _ of responses) expect(await send()).toMatchObject({ statusCode: 200, body });
  expect(server.sockets).toHaveLength(1);
});

async function writeApart(socket: Socket, chunks: string[]): Promise<void> {
  for (const [index, chunk] of chunks.entries()) {
    if (index > 0) await sleep(chunks.length < 5 ? 10 : 0);
    socket.write(chunk);
  }
}
