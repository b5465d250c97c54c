import { randomBytes } from 'node:crypto';
import { Secret } from '@tocsin/kit';
import { until } from '@tocsin/testing';
import { startApi, type TestApi } from './support/api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const canary = () => api.database.knex('secrets_canary').first();
const readyz = async ({ url }: { url: string }) => {
  const response = await fetch(`${url}/readyz`);
  return [response.status, await response.json()];
};

test('the service writes the canary if there is none', async () => {
  await until('it is written', canary);
  await api.database.knex('secrets_canary').delete();
  await until('it is written again', canary);
  expect(await readyz(api)).toMatchObject([200, { dependencies: { secrets: 'ok' } }]);
});

test('an instance with other encryption keys is not ready and does not change the canary', async () => {
  const written = await until('it is written', canary);
  const secretsKeys = new Secret(`k1:${randomBytes(32).toString('base64')}`);
  const { databaseUrl } = api.config;
  const other = await startApi({ config: { databaseUrl, secretsKeys } });
  await until('it has checked its keys', async () => (await readyz(other))[0] === 503);
  expect(await readyz(other)).toEqual([
    503,
    expect.objectContaining({
      failing: ['secrets'],
      dependencies: { database: 'ok', secrets: 'failing', broker: 'ok' },
      detail: expect.stringContaining('SECRETS_KEYS'),
    }),
  ]);
  expect(await canary()).toEqual(written);
  expect(await readyz(api)).toMatchObject([200, {}]);
  await other.close();
});
