import { ConfigError } from '@tocsin/kit';
import { loadConfig } from './config.js';

const key = Buffer.alloc(32, 1).toString('base64');
const env = {
  DATABASE_URL: 'postgres://tocsin:hunter2@db/tocsin',
  AMQP_URL: 'amqp://tocsin:hunter2@mq',
  OIDC_ISSUER: 'https://id.example/realms/tocsin',
  SECRETS_KEYS: `k1:${key}`,
};

function problemsOf(changes: Record<string, string>): readonly string[] {
  try {
    loadConfig({ ...env, ...changes });
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

test('what the contract promises is the default', () => {
  const config = loadConfig(env);
  expect(config.limits).toEqual({
    requestBytes: 1_048_576,
    requestsPerMinute: 1_200,
    alertsPerMinute: 30_000,
    probesPerMinute: 30,
    webhooksPerWorkspace: 1_000,
  });
  expect(config.egress).toEqual({ allow: [], caFile: undefined });
  expect(config.identity.issuers).toMatchObject([
    { audience: 'tocsin-api', groupsClaim: 'groups', rolesClaim: 'realm_access.roles' },
  ]);
  expect(config.publicUrl).toBe('');
});

test('every problem is reported at once', () => {
  expect(
    problemsOf({ DATABASE_URL: '', AMQP_URL: 'http://mq', OIDC_ISSUER: '', SECRETS_KEYS: '', PORT: 'x' }),
  ).toEqual([
    expect.stringMatching(/^PORT /),
    'DATABASE_URL is required',
    expect.stringMatching(/^AMQP_URL /),
    'SECRETS_KEYS is required',
    'OIDC_ISSUER is required',
  ]);
});

test.each([
  ['without an id', key],
  ['that is too short', 'k1:AAAA'],
  ['that is named twice', `k1:${key},k1:${key}`],
])('a key %s is refused without being shown', (_, value) => {
  const problems = problemsOf({ SECRETS_KEYS: value });
  expect(problems).toEqual([expect.stringMatching(/^SECRETS_KEYS /)]);
  expect(problems.join()).not.toContain(key);
});

test('nothing secret is printed with the configuration', () => {
  const text = JSON.stringify(loadConfig(env));
  expect(text).not.toContain('hunter2');
  expect(text).not.toContain(key);
});

test('paths are put behind the public address, whose last slash is dropped', () => {
  expect(loadConfig({ ...env, PUBLIC_URL: 'https://tocsin.example/' }).publicUrl).toBe(
    'https://tocsin.example',
  );
  expect(problemsOf({ PUBLIC_URL: 'tocsin.example' })).toEqual([expect.stringMatching(/^PUBLIC_URL /)]);
});
