import type { SendResult } from '../src/index.js';
import { createLoopback } from './support/loopback.js';

const { startSender, startServer } = createLoopback();
const { jest } = import.meta;

/** Everything but `setTimeout` and `clearTimeout`: sockets and the event loop run as usual. */
const realTimers = [
  'Date',
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setInterval',
  'clearInterval',
] as const;

beforeEach(() => void jest.useFakeTimers({ doNotFake: [...realTimers] }));
afterEach(() => void jest.useRealTimers());

const nextTick = () => new Promise((resolve) => setImmediate(resolve));

/** Moves the clock of the timers to `ms`, and expects that the send ends in its last millisecond. */
async function endsAt(ms: number, sending: Promise<SendResult>): Promise<SendResult> {
  let hasEnded = false;
  const ended = sending.finally(() => {
    hasEnded = true;
  });
  jest.advanceTimersByTime(ms - 1);
  for (let tick = 0; tick < 20; tick += 1) await nextTick();
  expect(hasEnded).toBe(false);
  jest.advanceTimersByTime(1);
  for (let tick = 0; !hasEnded && tick < 1_000; tick += 1) await nextTick();
  expect(hasEnded).toBe(true);
  return ended;
}

test('a connection that takes 5 s ends the send', async () => {
  const sender = startSender({ lookup: () => new Promise(() => {}) });
  const sending = sender.send({ url: 'http://hang.test/', headers: {}, body: '' });
  expect(await endsAt(5_000, sending)).toMatchObject({ code: 'dns_failure' });
});

test('a TLS handshake counts into the 5 s of a connection', async () => {
  const server = await startServer(() => {});
  const sending = startSender().send({ url: server.url.replace('http', 'https'), headers: {}, body: '' });
  while (server.sockets.length === 0) await nextTick();
  expect(await endsAt(5_000, sending)).toMatchObject({ code: 'connect_timeout' });
});

test.each([
  ['no response', undefined],
  ['half a head', 'HTTP/1.1 200 OK\r\nX-'],
])('a send that gets %s within 10 s ends', async (_, bytes) => {
  const server = await startServer((socket) => void (bytes && socket.write(bytes)));
  const sending = startSender().send({ url: server.url, headers: {}, body: '' });
  while (server.requests.length === 0) await nextTick();
  expect(await endsAt(10_000, sending)).toMatchObject({ code: 'timeout' });
});

test('a response body that is not complete after 10 s is cut and noted', async () => {
  const server = await startServer((socket) =>
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart'),
  );
  const sending = startSender().send({ url: server.url, headers: {}, body: '' });
  while (server.requests.length === 0) await nextTick();
  expect(await endsAt(10_000, sending)).toMatchObject({ statusCode: 200, body: 'part', bodyNote: 'slow' });
});
