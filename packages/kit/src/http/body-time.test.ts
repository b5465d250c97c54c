import { AppError } from '../app-error.js';
import { createLogger } from '../logger.js';
import { createMetrics } from '../metrics.js';
import { createHttpApp } from './app.js';
import { routeDefiner } from './route.js';
import { type HttpServer, listen } from './server.js';

const defineRoute = routeDefiner<string, never>();
const route = defineRoute({
  method: 'POST',
  path: '/things',
  operationId: 'postThing',
  summary: 'Creates a thing.',
  tag: 'test',
  access: 'token',
  body: { type: 'object', properties: { name: { type: 'string' } } },
  responses: { 204: { description: 'Created.' } },
  handler: () => ({ status: 204 }),
});

let server: HttpServer;
beforeAll(async () => {
  const app = createHttpApp<string>({
    logger: createLogger({ service: 'test', level: 'silent' }),
    metrics: createMetrics({ service: 'test' }),
    routes: [route],
    authenticate: async ({ authorization }) => {
      if (authorization === undefined) throw new AppError('unauthenticated', 'A token is required.');
      return authorization;
    },
    authorize: () => {},
    describePrincipal: (name) => name,
  });
  server = await listen(app, { host: '127.0.0.1', port: 0 });
});
afterAll(() => server.close(1_000));

const post = (name: string, body: string) =>
  fetch(`${server.url}/things`, {
    method: 'POST',
    headers: { Authorization: name, 'Content-Type': 'application/json' },
    body,
  });

test('a sender whose large bodies take too long to parse gets 429, and another sender does not', async () => {
  const slow = JSON.stringify(Array.from({ length: 300_000 }, () => ({})));
  let response = await post('ada', slow);
  expect(response.status).toBe(422);
  for (let tries = 0; tries < 500 && response.status !== 429; tries += 1) response = await post('ada', slow);
  expect([response.status, Number(response.headers.get('retry-after')) >= 1]).toEqual([429, true]);
  expect(await response.json()).toMatchObject({ code: 'too_many_requests' });
  expect((await post('bob', slow)).status).toBe(422);
  // The time budget for parsing does not apply to bodies with a declared length below 16 KiB, such as alerts.
  expect((await post('ada', '{"name":"a"}')).status).toBe(204);
});
