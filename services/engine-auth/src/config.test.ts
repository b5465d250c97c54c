import { loadConfig } from './config.js';

const env = {
  DATABASE_URL: 'postgres://tocsin@db/tocsin',
  AMQP_URL: 'amqp://tocsin@mq',
  OIDC_ISSUER: 'https://id.example/realms/tocsin',
};

test('the optional settings of the engine have the documented defaults', () => {
  const config = loadConfig(env);
  expect(config).toMatchObject({
    http: { host: '0.0.0.0', port: 8081 },
    metrics: { host: '0.0.0.0', port: 9091 },
    adminKey: undefined,
    maxActiveKeys: 100,
    identity: { issuers: [{ audience: 'tocsin-engine' }] },
  });
});

test('the settings for admin key, audience and maximum number of keys replace the defaults', () => {
  const config = loadConfig({
    ...env,
    GENAI_ENGINE_ADMIN_KEY: 'the admin key',
    OIDC_AUDIENCE: 'other',
    MAX_API_KEYS: '7',
  });
  expect(config.adminKey?.reveal()).toBe('the admin key');
  expect(config).toMatchObject({ maxActiveKeys: 7, identity: { issuers: [{ audience: 'other' }] } });
});

test.each([
  ['1', true],
  ['100000', true],
  ['0', false],
  ['100001', false],
])('MAX_API_KEYS with the value %s is accepted: %s', (count, isAccepted) => {
  const load = () => loadConfig({ ...env, MAX_API_KEYS: count });
  if (isAccepted) expect(load().maxActiveKeys).toBe(Number(count));
  else expect(load).toThrow('MAX_API_KEYS');
});
