import { loadConfig } from './config.js';

const env = {
  DATABASE_URL: 'postgres://db/tocsin',
  AMQP_URL: 'amqp://mq',
  SECRETS_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
};

test('the default lease of queued rows is 45 seconds', () => {
  expect(loadConfig(env)).toMatchObject({ queuedLeaseMs: 45_000 });
});

test.each([['QUEUED_LEASE', '0s', '10s']])(
  'the setting %s with the value %s is rejected, because the minimum is %s',
  (name, value, least) => {
    expect(() => loadConfig({ ...env, [name]: value })).toThrow(`${name} must be ${least} or more`);
    expect(() => loadConfig({ ...env, [name]: least })).not.toThrow();
  },
);
