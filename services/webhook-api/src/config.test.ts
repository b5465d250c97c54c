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

test('the default settings are the documented ones', () => {
  const config = loadConfig(env);
  expect(config.limits).toEqual({
    requestBytes: 1_048_576,
    requestsPerMinute: 1_200,
    alertsPerMinute: 30_000,
    workspaceRequestsPerMinute: 2_400,
    workspaceAlertsPerMinute: 60_000,
    testsPerMinute: 30,
    webhooksPerWorkspace: 1_000,
    alertRulesPerWorkspace: 10_000,
    openDeliveries: { perWebhook: 100_000, perWorkspace: 1_000_000 },
  });
  expect(config.egress).toEqual({ allow: [], caFile: undefined });
  expect(config.identity.issuers).toMatchObject([
    { audience: 'tocsin-api', groupsClaim: 'groups', rolesClaim: 'realm_access.roles' },
  ]);
  expect(config.publicUrl).toBe('');
  expect(config.brokerWaitMs).toBe(10_000);
});

test('all problems of the settings are reported together', () => {
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
  ['has no id', key],
  ['is too short', 'k1:AAAA'],
  ['has the id of another key', `k1:${key},k1:${key}`],
])('an encryption key that %s is rejected and not printed', (_, value) => {
  const problems = problemsOf({ SECRETS_KEYS: value });
  expect(problems).toEqual([expect.stringMatching(/^SECRETS_KEYS /)]);
  expect(problems.join()).not.toContain(key);
});

test('the printed configuration contains no secrets', () => {
  const text = JSON.stringify(loadConfig(env));
  expect(text).not.toContain('hunter2');
  expect(text).not.toContain(key);
});

test('the public URL has no slash at the end', () => {
  expect(loadConfig({ ...env, PUBLIC_URL: 'https://tocsin.example/' }).publicUrl).toBe(
    'https://tocsin.example',
  );
  expect(problemsOf({ PUBLIC_URL: 'tocsin.example' })).toEqual([expect.stringMatching(/^PUBLIC_URL /)]);
});
