import { realTimersExcept } from '@tocsin/testing';
import type { SendResult } from '../src/index.js';
import { createLoopback } from './support/loopback.js';

const { startSender, startServer } = createLoopback();
const { jest } = import.meta;

// Only the timers are simulated. Sockets and the event loop are real.
beforeEach(() => void jest.useFakeTimers({ doNotFake: realTimersExcept('setTimeout', 'clearTimeout') }));
afterEach(() => void jest.useRealTimers());

const nextTick = () => new Promise((resolve) => setImmediate(resolve));

/** Advances the simulated clock to `ms`, and checks that the send ends at this time and not a millisecond earlier. */
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

test.each([1_000, 10_000])(
  'a name that does not resolve is a dns_failure with a timeout of %i ms',
  async (timeoutMs) => {
    const sender = startSender({ lookup: () => new Promise(() => {}) });
    const sending = sender.send({ url: 'http://hang.test/', headers: {}, body: '', timeoutMs });
    expect(await endsAt(Math.min(timeoutMs, 5_000), sending)).toMatchObject({ code: 'dns_failure' });
  },
);

test('a send fails as connect_timeout if the TLS handshake is incomplete after 5 s', async () => {
  const server = await startServer(() => {});
  const sending = startSender().send({ url: server.url.replace('http', 'https'), headers: {}, body: '' });
  while (server.sockets.length === 0) await nextTick();
  expect(await endsAt(5_000, sending)).toMatchObject({ code: 'connect_timeout' });
});

test.each([
  ['no response', undefined],
  ['half a head', 'HTTP/1.1 200 OK\r\nX-'],
])('a send fails as timeout after 10 s if the destination has sent only %s', async (_, bytes) => {
  const server = await startServer((socket) => void (bytes && socket.write(bytes)));
  const sending = startSender().send({ url: server.url, headers: {}, body: '' });
  while (server.requests.length === 0) await nextTick();
  expect(await endsAt(10_000, sending)).toMatchObject({ code: 'timeout' });
});

test('a response body that is incomplete after 10 s is cut and marked as slow', async () => {
  const server = await startServer((socket) =>
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart'),
  );
  const sending = startSender().send({ url: server.url, headers: {}, body: '' });
  while (server.requests.length === 0) await nextTick();
  expect(await endsAt(10_000, sending)).toMatchObject({ statusCode: 200, body: 'part', bodyNote: 'slow' });
});

test.each([3_000, 20_000])(
  'a request with a timeout of %i ms uses this timeout instead of the default of 10 s',
  async (timeoutMs) => {
    const server = await startServer(() => {});
    const sending = startSender().send({ url: server.url, headers: {}, body: '', timeoutMs });
    while (server.requests.length === 0) await nextTick();
    expect(await endsAt(timeoutMs, sending)).toMatchObject({ code: 'timeout' });
  },
);
