import { get, type IncomingMessage, request } from 'node:http';
import { createLogger } from '../logger.js';
import { createMetrics } from '../metrics.js';
import { createHttpApp } from './app.js';
import { definePublicRoute } from './define-route.js';
import { type HttpServer, listen } from './server.js';

/** Pages of a mebibyte, counted as they are made; `failsAt` is the first one that cannot be. */
const state = { made: 0, isEnded: false, pages: 3, failsAt: Number.POSITIVE_INFINITY };
const item = 'x'.repeat(1_048_576);

async function* makePages() {
  try {
    for (let page = 0; page < state.pages; page += 1) {
      if (page === state.failsAt) throw new Error('The database is away.');
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
  Object.assign(state, { made: 0, isEnded: false, pages: 3, failsAt: Number.POSITIVE_INFINITY });
});

const ask = () => fetch(`${server.url}/list`);

test.each([
  [3, [item, item]],
  [1, [item]],
  [0, []],
])('%i pages are one array', async (pages, expected) => {
  state.pages = pages;
  const response = await ask();
  expect([response.status, response.headers.get('link')]).toEqual([200, '<next>']);
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  const body = (await response.json()) as string[];
  expect(body.length === expected.length && body.every((text) => text === item)).toBe(true);
});

test('pages are made as fast as they are read, and no more once the client has gone', async () => {
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
  while (!state.isEnded) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(state.made).toBeLessThan(100);
});

test('what fails before the first page is an answer, and what fails later cuts the array', async () => {
  state.failsAt = 0;
  const early = await ask();
  expect([early.status, early.headers.get('content-type'), early.headers.get('link')]).toEqual([
    500,
    'application/problem+json',
    null,
  ]);
  state.failsAt = 1;
  const late = await ask();
  expect(late.status).toBe(200);
  await expect(late.text()).rejects.toThrow();
});

test('HEAD costs one page', async () => {
  const status = await new Promise((resolve) =>
    request(`${server.url}/list`, { method: 'HEAD' }, (response) =>
      resolve(response.resume().statusCode),
    ).end(),
  );
  expect([status, state.made]).toEqual([200, 1]);
});
