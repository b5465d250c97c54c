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

test('settings that are not in the environment have their documented defaults', () => {
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
  expect(config).toMatchObject({
    http: { host: '0.0.0.0', port: 8080 },
    metrics: { host: '0.0.0.0', port: 9090 },
    brokerWaitMs: 10_000,
    databasePoolSize: 10,
    consoleClientId: 'tocsin-console',
  });
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

test('a slash at the end of the public URL is removed, and a URL without a scheme is rejected', () => {
  expect(loadConfig({ ...env, PUBLIC_URL: 'https://tocsin.example/' }).publicUrl).toBe(
    'https://tocsin.example',
  );
  expect(problemsOf({ PUBLIC_URL: 'tocsin.example' })).toEqual([expect.stringMatching(/^PUBLIC_URL /)]);
});

test('each environment variable sets its own setting', () => {
  const config = loadConfig({
    ...env,
    DATABASE_POOL_SIZE: '11',
    BROKER_WAIT: '12s',
    CONSOLE_CLIENT_ID: 'mine',
    EGRESS_ALLOW: '10.0.0.0/8',
    EGRESS_CA_FILE: '/ca.pem',
    PUBLIC_URL: 'https://tocsin.example/base//',
    MAX_REQUEST_BYTES: '2000',
    REQUESTS_PER_MINUTE: '13',
    ALERTS_PER_MINUTE: '14',
    WORKSPACE_REQUESTS_PER_MINUTE: '15',
    WORKSPACE_ALERTS_PER_MINUTE: '16',
    TESTS_PER_MINUTE: '17',
    WEBHOOKS_PER_WORKSPACE: '18',
    ALERT_RULES_PER_WORKSPACE: '19',
    MAX_OPEN_PER_WEBHOOK: '20',
    MAX_OPEN_DELIVERIES: '21',
  });
  expect(config).toMatchObject({
    databasePoolSize: 11,
    brokerWaitMs: 12_000,
    consoleClientId: 'mine',
    egress: { allow: ['10.0.0.0/8'], caFile: '/ca.pem' },
    publicUrl: 'https://tocsin.example/base',
  });
  expect(config.limits).toEqual({
    requestBytes: 2_000,
    requestsPerMinute: 13,
    alertsPerMinute: 14,
    workspaceRequestsPerMinute: 15,
    workspaceAlertsPerMinute: 16,
    testsPerMinute: 17,
    webhooksPerWorkspace: 18,
    alertRulesPerWorkspace: 19,
    openDeliveries: { perWebhook: 20, perWorkspace: 21 },
  });
});

test('the limits of a workspace are by default twice the configured limits of a principal', () => {
  const { limits } = loadConfig({ ...env, REQUESTS_PER_MINUTE: '5', ALERTS_PER_MINUTE: '7' });
  expect(limits).toMatchObject({ workspaceRequestsPerMinute: 10, workspaceAlertsPerMinute: 14 });
});

test.each([
  ['DATABASE_POOL_SIZE', 1, 100],
  ['MAX_REQUEST_BYTES', 1_024, undefined],
  ['REQUESTS_PER_MINUTE', 1, undefined],
  ['ALERTS_PER_MINUTE', 1, undefined],
  ['WORKSPACE_REQUESTS_PER_MINUTE', 1, undefined],
  ['WORKSPACE_ALERTS_PER_MINUTE', 1, undefined],
  ['TESTS_PER_MINUTE', 1, undefined],
  ['WEBHOOKS_PER_WORKSPACE', 1, undefined],
  ['ALERT_RULES_PER_WORKSPACE', 1, undefined],
])('the setting %s accepts values from %i to %p', (name, min, max = Number.NaN) => {
  const problems = (value: number) => (Number.isNaN(value) ? [] : problemsOf({ [name]: String(value) }));
  expect([problems(min), problems(max)]).toEqual([[], []]);
  for (const beyond of [min - 1, max + 1])
    if (!Number.isNaN(beyond)) expect(problems(beyond)).toEqual([expect.stringContaining(name)]);
});
