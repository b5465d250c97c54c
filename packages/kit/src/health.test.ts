import { AppError } from './app-error.js';
import { type HealthCheck, healthRoutes } from './health.js';
import { createHttpApp } from './http/app.js';
import { type HttpServer, listen } from './http/server.js';
import { createLogger } from './logger.js';
import { createMetrics } from './metrics.js';

const state: { database: HealthCheck; runs: number; isOwnFault: (error: unknown) => boolean } = {
  database: async () => {},
  runs: 0,
  isOwnFault: () => true,
};
let server: HttpServer;

beforeAll(async () => {
  const checks = {
    database: (signal: AbortSignal) => {
      state.runs += 1;
      return state.database(signal);
    },
    broker: async () => {},
  };
  const app = createHttpApp({
    logger: createLogger({ service: 'test', level: 'silent' }),
    metrics: createMetrics({ service: 'test' }),
    routes: healthRoutes({ checks, timeoutMs: 50, isOwnFault: (error) => state.isOwnFault(error) }),
    authenticate: async () => undefined,
    authorize: () => {},
  });
  server = await listen(app, { host: '127.0.0.1', port: 0 });
});
afterAll(() => server.close(100));

test('/readyz returns 200 if all dependencies work', async () => {
  state.database = async () => {};
  const response = await fetch(`${server.url}/readyz`);
  expect([response.status, await response.json()]).toEqual([
    200,
    { status: 'ok', dependencies: { database: 'ok', broker: 'ok' } },
  ]);
});

test('a failing check makes a service not ready only if isOwnFault returns true for its error', async () => {
  state.isOwnFault = (error) => error instanceof AppError;
  for (const check of [async () => Promise.reject(new Error('refused')), () => new Promise(() => {})]) {
    state.database = check;
    const response = await fetch(`${server.url}/readyz`);
    expect([response.status, await response.json()]).toEqual([
      200,
      { status: 'ok', dependencies: { database: 'failing', broker: 'ok' } },
    ]);
  }
  state.database = async () => {
    throw new AppError('unavailable', 'Run the migrations.');
  };
  expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
  state.isOwnFault = () => true;
});

test.each<[string, HealthCheck]>([
  ['fails', async () => Promise.reject(new Error('connection refused to secret-host'))],
  [
    'throws synchronously',
    () => {
      throw new Error('x');
    },
  ],
  ['hangs', () => new Promise(() => {})],
])('if a dependency %s, /readyz names it with status 503, and /livez returns 200', async (_, check) => {
  state.database = check;
  const response = await fetch(`${server.url}/readyz`);
  expect(response.status).toBe(503);
  const text = await response.text();
  expect(JSON.parse(text)).toMatchObject({
    failing: ['database'],
    dependencies: { database: 'failing', broker: 'ok' },
    detail: 'Not ready: database.',
  });
  expect(text).not.toContain('secret-host');
  expect((await fetch(`${server.url}/livez`)).status).toBe(200);
});

test('/readyz shows the detail of an AppError that a check throws', async () => {
  state.database = async () => {
    throw new AppError('unavailable', 'Run the migrations.');
  };
  const response = await fetch(`${server.url}/readyz`);
  expect(await response.json()).toMatchObject({
    status: 503,
    failing: ['database'],
    detail: 'Not ready: database. Run the migrations.',
  });
});

test('concurrent requests to /readyz share one run of the checks', async () => {
  state.database = () => new Promise((resolve) => setTimeout(resolve, 20));
  state.runs = 0;
  await Promise.all(Array.from({ length: 10 }, () => fetch(`${server.url}/readyz`)));
  expect(state.runs).toBeLessThan(5);
});
