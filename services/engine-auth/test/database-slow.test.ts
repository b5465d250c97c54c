import { randomUUID } from 'node:crypto';
import type { EngineAuth } from '../src/app.js';
import { adminKey, bearer, useEngine } from './support/engine.js';

const service = useEngine();
let engine: EngineAuth;
beforeAll(() => {
  ({ engine } = service);
});

const unknownKey = () => Buffer.from(`${randomUUID()}:${'a'.repeat(43)}`).toString('base64');

test('requests get 503 within seconds while the database does not respond', async () => {
  const ask = (path: string, credential: string) =>
    fetch(`${engine.url}${path}`, { headers: bearer(credential), signal: AbortSignal.timeout(15_000) });
  await service.database.knex.transaction(async (trx) => {
    await trx.raw('lock table api_keys in access exclusive mode');
    const responses = await Promise.all([
      ask('/auth/verify', unknownKey()),
      ask('/auth/api_keys/', adminKey),
    ]);
    for (const response of responses) {
      expect(response.status).toBe(503);
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    }
  });
  expect((await ask('/auth/verify', unknownKey())).status).toBe(401);
  expect((await ask('/auth/api_keys/', adminKey)).status).toBe(200);
});
