import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeAccounts } from '../oidc/accounts.js';
import { startProviderProcess } from '../oidc/start-provider-process.js';
import { startPostgres } from '../postgres/start-postgres.js';
import { findFreePorts } from '../processes/free-port.js';
import type { ProcessHost } from '../processes/process-host.js';
import { ensureRabbitmqInstalled, startRabbitmq } from '../rabbitmq/start-rabbitmq.js';

export interface TestServers {
  /** Directory for the data of the servers. It is removed when this process ends. */
  directory: string;
  /** Addresses and credentials as TOCSIN_TEST_* variables. */
  env: NodeJS.ProcessEnv;
}

/**
 * Starts PostgreSQL, RabbitMQ and an OpenID provider for integration tests. They use free ports and a temporary
 * directory, so that concurrent runs are independent. The servers end with this process, even if it is killed.
 */
export async function startTestServers(processes: ProcessHost): Promise<TestServers> {
  const directory = mkdtempSync(join(tmpdir(), 'tocsin-test-'));
  // If this process runs as root, PostgreSQL runs as another user, who needs access to this directory.
  chmodSync(directory, 0o711);
  processes.removeAtEnd(directory);
  const logOf = (name: string) => join(directory, 'logs', `${name}.log`);
  const installed = ensureRabbitmqInstalled(logOf('apt'), console.log);
  const [databasePort = 0, amqp = 0, epmd = 0, distribution = 0, oidcPort = 0] = await findFreePorts(5);
  const workspaces = { workspaceId: randomUUID(), otherWorkspaceId: randomUUID() };
  const accounts = makeAccounts(workspaces);
  const [postgres, rabbitmq, provider] = await Promise.all([
    startPostgres({
      processes,
      directory: join(directory, 'postgres'),
      logFile: logOf('postgres'),
      port: databasePort,
      durable: false,
    }),
    startRabbitmq({
      processes,
      installed,
      directory: join(directory, 'rabbitmq'),
      logFile: logOf('rabbitmq'),
      ports: { amqp, epmd, distribution },
      // The default limit of RabbitMQ 4. It is above the limit in infra/rabbitmq/20-tocsin.conf, so that tests can send
      // messages that the worker itself must reject.
      maxMessageBytes: 16 * 1_048_576,
      virtualHosts: [
        // A virtual host without Tocsin's exchanges and queues, for tests of publishers that find none.
        'blank',
        // An additional virtual host for the test that needs two installations (cells.test.ts).
        'second',
        ...Array.from({ length: maxJestWorkers }, (_, index) => `jest-${index + 1}`),
      ],
    }),
    startProviderProcess({
      processes,
      directory: join(directory, 'oidc'),
      logFile: logOf('oidc'),
      settings: { ...testRealm, port: oidcPort, accounts },
    }),
  ]);
  const env = {
    TOCSIN_TEST_DATABASE_URL: postgres.url,
    TOCSIN_TEST_AMQP_URL: rabbitmq.url,
    TOCSIN_TEST_OIDC_ISSUER: provider.url,
    TOCSIN_TEST_OIDC_CLIENTS: JSON.stringify(
      mapValues(accounts.services, ({ clientId, clientSecret }) => ({
        client_id: clientId,
        client_secret: clientSecret,
      })),
    ),
    TOCSIN_TEST_OIDC_USERS: JSON.stringify(mapValues(accounts.users, ({ password }) => password)),
    TOCSIN_TEST_WORKSPACE_ID: workspaces.workspaceId,
    TOCSIN_TEST_OTHER_WORKSPACE_ID: workspaces.otherWorkspaceId,
  };
  return { directory, env };
}

/** Maximum number of jest workers. Each has a separate virtual host (`createTestBroker`). */
const maxJestWorkers = 16;

const testRealm = {
  realm: 'tocsin',
  audience: ['tocsin-api'],
  engineAudience: ['tocsin-engine'],
  // The lifetime is longer than any test run. Tests of expiry start their own provider.
  accessTokenTtlSeconds: 3_600,
  refreshTokenTtlSeconds: 3_600,
  rotateRefreshTokens: true,
  deviceClientId: 'tocsin-cli',
  consoleClientId: 'tocsin-console',
  consoleRedirectUris: ['http://127.0.0.1/console/'],
};

function mapValues<T, U>(record: Record<string, T>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}
