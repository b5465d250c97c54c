import { get, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { until } from '@tocsin/testing';
import { createLogger } from '../logger.js';
import { createMetrics } from '../metrics.js';
import { createHttpApp } from './app.js';
import { definePublicRoute } from './route.js';
import { type HttpServer, listen } from './server.js';

/**
 * State of a response in pages. Pages with an even index have 1 MiB, and all others are empty. `made` is the number of
 * pages that were read. Reading the page with the index `failsAt` throws an error.
 */
const fresh = {
  made: 0,
  isStarted: false,
  isEnded: false,
  pages: 3,
  failsAt: Number.POSITIVE_INFINITY,
  ready: Promise.resolve(),
};
const state = { ...fresh };
const item = 'x'.repeat(1_048_576);

async function* makePages() {
  try {
    state.isStarted = true;
    await state.ready;
    for (let page = 0; page < state.pages; page += 1) {
      if (page === state.failsAt) throw new Error('The database is unavailable.');
      state.made += 1;
      yield page % 2 === 0 ? [item] : [];
    }
  } finally {
    state.isEnded = true;
  }
}

let server: HttpServer;
beforeAll(async () => {
  const route = definePublicRoute({
    method: 'GET',
    path: '/list',
    operationId: 'list',
    summary: 'A list.',
    tag: 'test',
    access: 'public',
    responses: { 200: { description: 'ok', schema: { type: 'array', items: { type: 'string' } } } },
    handler: () => ({ status: 200, headers: { Link: '<next>' }, body: makePages() }),
  });
  const app = createHttpApp({
    logger: createLogger({ service: 'test', level: 'silent' }),
    metrics: createMetrics({ service: 'test' }),
    routes: [route],
    authenticate: async () => undefined,
    authorize: () => {},
  });
  server = await listen(app, { host: '127.0.0.1', port: 0 });
});
afterAll(() => server.close(100));
beforeEach(() => {
  Object.assign(state, fresh);
});
const getList = () => fetch(`${server.url}/list`);

test.each([
  [3, [item, item]],
  [1, [item]],
  [0, []],
])('%i pages are sent as one JSON array', async (pages, expected) => {
  state.pages = pages;
  const response = await getList();
  expect([response.status, response.headers.get('link')]).toEqual([200, '<next>']);
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  const body = (await response.json()) as string[];
  expect(body.length === expected.length && body.every((text) => text === item)).toBe(true);
});

test('pages are read only as fast as the client receives them, and not after it disconnects', async () => {
  state.pages = 200;
  const response = await new Promise<IncomingMessage>((resolve) => get(`${server.url}/list`, resolve));
  response.pause();
  let made = -1;
  while (made !== state.made) {
    made = state.made;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  expect(made).toBeLessThan(100);
  response.destroy();
  await until('the pages are closed', () => state.isEnded);
  expect(state.made).toBeLessThan(100);
});

test.each([1, 2])(
  'no second page is read for a client that has disconnected (%i pipelined requests)',
  async (requests) => {
    let makeReady = () => {};
    state.ready = new Promise((resolve) => {
      makeReady = resolve;
    });
    const { port } = new URL(server.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write('GET /list HTTP/1.1\r\nHost: test\r\n\r\n'.repeat(requests));
    await until('the first page is requested', () => state.isStarted);
    socket.destroy();
    await new Promise((resolve) => setTimeout(resolve, 100));
    makeReady();
    await until('the pages are closed', () => state.isEnded);
    expect(state.made).toBeLessThanOrEqual(requests);
  },
);

test('an error before the first page sets the status, and a later error cuts the connection', async () => {
  state.failsAt = 0;
  const early = await getList();
  expect([early.status, early.headers.get('content-type'), early.headers.get('link')]).toEqual([
    500,
    'application/problem+json',
    null,
  ]);
  state.failsAt = 1;
  const late = await getList();
  expect(late.status).toBe(200);
  await expect(late.text()).rejects.toThrow();
});

test('a HEAD request for a list in pages reads one page', async () => {
  const status = await new Promise((resolve) =>
    request(`${server.url}/list`, { method: 'HEAD' }, (response) =>
      resolve(response.resume().statusCode),
    ).end(),
  );
  expect([status, state.made]).toEqual([200, 1]);
});
