import { getEventListeners } from 'node:events';
import { systemClock } from '../clock.js';
import { createTransport, type TransportOptions } from './transport.js';

const transport = (httpSend: TransportOptions['httpSend'], timeoutMs = 60_000) =>
  createTransport({
    httpSend,
    baseUrl: 'http://127.0.0.1:9',
    credential: 'k',
    clock: systemClock,
    random: Math.random,
    timeoutMs,
    maxTries: 1,
    maxRetryAfterMs: undefined,
  });
const request = (signal: AbortSignal) => ({ method: 'GET', path: '/', options: { signal } }) as const;

/** Sends nothing, and rejects when the signal is aborted. */
const hang: TransportOptions['httpSend'] = ({ signal }) =>
  new Promise((_resolve, reject) => {
    if (signal.aborted) reject(new Error('aborted'));
    signal.addEventListener('abort', () => reject(new Error('aborted')));
  });

test('10,000 requests with one signal leave nothing in the memory of this signal', async () => {
  const { signal } = new AbortController();
  const send = transport(async () => ({ status: 200, headers: new Headers(), text: '' }));
  for (let count = 0; count < 10_000; count += 1) await send(request(signal));
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  // Node keeps listeners and derived signals in maps and sets, which are members with symbols as names.
  const kept = Object.getOwnPropertySymbols(signal).map((symbol) => {
    const value: unknown = Reflect.get(signal, symbol);
    return typeof value === 'object' && value !== null && 'size' in value ? value.size : 0;
  });
  expect(kept.filter((size) => size !== 0)).toEqual([]);
});

test('an aborted signal of the caller ends a request with the reason of the signal', async () => {
  const controller = new AbortController();
  const sent = transport(hang)(request(controller.signal));
  controller.abort(new Error('stopped'));
  await expect(sent).rejects.toThrow('stopped');
  await expect(transport(hang)(request(controller.signal))).rejects.toThrow('stopped');
});

test('a request with a signal of the caller ends after the timeout', async () => {
  const sent = transport(hang, 20)(request(new AbortController().signal));
  await expect(sent).rejects.toMatchObject({ code: 'timeout' });
});
