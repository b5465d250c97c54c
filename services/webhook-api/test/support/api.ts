import { type Logger, Secret } from '@tocsin/kit';
import { useResource } from '@tocsin/testing';
import { createTestBroker } from '@tocsin/testing/broker';
import { createTestDatabase, testSecretsKeys } from '@tocsin/testing/database';
import { createWebhookApi, type WebhookApiOverrides } from '../../src/app.js';
import type { WebhookApiConfig, WebhookApiLimits } from '../../src/config.js';
import { type Role, tokenOf } from './tokens.js';

/**
 * Ids of two workspaces. Each role except `outsider` is a role in the first workspace. `outsider` is an admin of the
 * second. `admin` is also an administrator of the deployment.
 */
export const workspaceId = process.env.TOCSIN_TEST_WORKSPACE_ID ?? '';
export const otherWorkspaceId = process.env.TOCSIN_TEST_OTHER_WORKSPACE_ID ?? '';

export interface Problem {
  status: number;
  code: string;
  detail: string;
  errors?: { path: string; message: string }[];
}

export interface ApiResponse<Body> {
  status: number;
  headers: Headers;
  /** Response body: parsed if it is JSON, undefined if it is empty. */
  body: Body;
}

export interface CallOptions {
  as?: Role;
  /** Request body. Text and bytes are sent unchanged, any other value is sent as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
}

export type TestApi = Awaited<ReturnType<typeof startApi>>;

export interface StartOptions extends WebhookApiOverrides {
  config?: Partial<WebhookApiConfig>;
  limits?: Partial<WebhookApiLimits>;
  logger?: Logger;
}

/** Starts the service before the tests of a file, and closes it after them. Use the result only in hooks and tests. */
export const useApi = (options: StartOptions = {}): TestApi =>
  useResource({ create: () => startApi(options), close: (api) => api.close() });

/** Expects that `statusOf` resolves to the given status for each of the roles. */
export async function expectStatuses(
  statusOf: (as: Role) => Promise<{ status: number }>,
  expected: Partial<Record<Role, number>>,
): Promise<void> {
  const statuses: Partial<Record<Role, number>> = {};
  for (const as of Object.keys(expected) as Role[]) statuses[as] = (await statusOf(as)).status;
  expect(statuses).toEqual(expected);
}

/** Starts the service with a real database, broker and identity provider. */
export async function startApi({ config: changes = {}, limits = {}, ...overrides }: StartOptions = {}) {
  const testDatabase = await createTestDatabase();
  const broker = await createTestBroker();
  const standard = testConfig(testDatabase.url, broker.url);
  const config: WebhookApiConfig = {
    ...standard,
    limits: { ...standard.limits, ...limits },
    ...changes,
  };
  const api = await createWebhookApi(config, overrides);

  async function call<Body = Problem>(
    method: string,
    path: string,
    { as = 'editor', body, headers = {} }: CallOptions = {},
  ): Promise<ApiResponse<Body>> {
    const raw = typeof body === 'string' || body instanceof Uint8Array;
    const response = await fetch(`${api.url}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${await tokenOf(as)}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: raw ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    return {
      status: response.status,
      headers: response.headers,
      body: isJson ? JSON.parse(text) : text === '' ? undefined : text,
    };
  }

  return {
    url: api.url,
    metricsUrl: api.metricsUrl,
    database: testDatabase.database,
    broker,
    config,
    call,
    async close() {
      await api.close(5_000);
      await testDatabase.drop();
    },
  };
}

function testConfig(databaseUrl: string, amqpUrl: string): WebhookApiConfig {
  return {
    http: { host: '127.0.0.1', port: 0 },
    metrics: { host: '127.0.0.1', port: 0 },
    logLevel: process.env.TEST_LOG === undefined ? 'silent' : 'debug',
    logSuccessPercent: 100,
    tracingEndpoint: undefined,
    databaseUrl: new Secret(databaseUrl),
    databasePoolSize: 10,
    brokerWaitMs: 5_000,
    amqpUrl: new Secret(amqpUrl),
    secretsKeys: new Secret(testSecretsKeys),
    identity: {
      issuers: [
        {
          issuer: process.env.TOCSIN_TEST_OIDC_ISSUER ?? '',
          audience: 'tocsin-api',
          groupsClaim: 'groups',
          rolesClaim: 'realm_access.roles',
          workspaces: 'all',
        },
      ],
    },
    consoleClientId: 'tocsin-console',
    egress: { allow: ['127.0.0.0/8'], caFile: undefined },
    publicUrl: '',
    limits: {
      requestBytes: 1_048_576,
      requestsPerMinute: 1_000_000,
      alertsPerMinute: 1_000_000,
      workspaceRequestsPerMinute: 1_000_000,
      workspaceAlertsPerMinute: 1_000_000,
      testsPerMinute: 1_000_000,
      webhooksPerWorkspace: 1_000,
      alertRulesPerWorkspace: 10_000,
      openDeliveries: { perWebhook: 100_000, perWorkspace: 1_000_000 },
    },
  };
}
