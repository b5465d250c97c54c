import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeDirectory } from '../oidc/directory.js';
import { startProviderProcess } from '../oidc/start-provider-process.js';
import { startPostgres } from '../postgres/start-postgres.js';
import { findFreePorts } from '../processes/free-port.js';
import { createProcessHost, type ProcessHost } from '../processes/process-host.js';
import { ensureRabbitmqInstalled, startRabbitmq } from '../rabbitmq/start-rabbitmq.js';
import { rememberTestParts } from './test-parts.js';

/** Part of jest's global configuration that this setup reads. */
interface JestGlobalConfig {
  rootDir: string;
  testPathPatterns: {
    toExecutor(options: { rootDir: string }): { isSet(): boolean; isMatch(path: string): boolean };
  };
}

/**
 * Starts a private PostgreSQL, RabbitMQ node and OpenID provider for one run of jest, on free ports and in a temporary
 * directory. Their addresses are in TOCSIN_TEST_* variables. Concurrent runs do not share anything. The servers end with
 * the run, even if it is killed. A run of unit tests only (under src/) starts nothing.
 */
export default async function globalSetup(config: JestGlobalConfig): Promise<void> {
  if (!hasIntegrationTests(config)) return;
  const directory = mkdtempSync(join(tmpdir(), 'tocsin-test-'));
  // PostgreSQL runs as a separate user if this process is root.
  chmodSync(directory, 0o711);
  const processes = createProcessHost();
  processes.removeAtEnd(directory);
  rememberTestParts({ processes, directory });
  Object.assign(process.env, await startParts(processes, directory));
}

function hasIntegrationTests({ rootDir, testPathPatterns }: JestGlobalConfig): boolean {
  const patterns = testPathPatterns.toExecutor({ rootDir });
  if (!patterns.isSet()) return true;
  return ['packages', 'services', 'infra']
    .flatMap((root) => readdirSync(join(rootDir, root)).map((name) => join(rootDir, root, name, 'test')))
    .flatMap((tests) => listFiles(tests))
    .some((file) => patterns.isMatch(file));
}

function listFiles(directory: string): string[] {
  try {
    return readdirSync(directory, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => join(directory, name));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}

async function startParts(processes: ProcessHost, directory: string): Promise<NodeJS.ProcessEnv> {
  const logOf = (name: string) => join(directory, 'logs', `${name}.log`);
  const installed = ensureRabbitmqInstalled(logOf('apt'), console.log);
  const [databasePort = 0, amqp = 0, epmd = 0, distribution = 0, oidcPort = 0] = await findFreePorts(5);
  const workspaces = { workspaceId: randomUUID(), otherWorkspaceId: randomUUID() };
  const people = makeDirectory(workspaces);
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
      // Default of RabbitMQ 4: a worker has to refuse larger alerts by itself, because a broker can let them pass.
      maxMessageBytes: 16 * 1_048_576,
      virtualHosts: [
        // A virtual host without the topology.
        'blank',
        ...Array.from({ length: maxJestWorkers }, (_, index) => `jest-${index + 1}`),
      ],
    }),
    startProviderProcess({
      processes,
      directory: join(directory, 'oidc'),
      logFile: logOf('oidc'),
      settings: { ...testRealm, port: oidcPort, directory: people },
    }),
  ]);
  return {
    TOCSIN_TEST_DATABASE_URL: postgres.url,
    TOCSIN_TEST_AMQP_URL: rabbitmq.url,
    TOCSIN_TEST_OIDC_ISSUER: provider.url,
    TOCSIN_TEST_OIDC_CLIENTS: JSON.stringify(
      mapValues(people.services, ({ clientId, clientSecret }) => ({
        client_id: clientId,
        client_secret: clientSecret,
      })),
    ),
    TOCSIN_TEST_OIDC_USERS: JSON.stringify(mapValues(people.users, ({ password }) => password)),
    TOCSIN_TEST_WORKSPACE_ID: workspaces.workspaceId,
    TOCSIN_TEST_OTHER_WORKSPACE_ID: workspaces.otherWorkspaceId,
  };
}

/** Each jest worker has its own virtual host (`createTestBroker`). */
const maxJestWorkers = 16;

const testRealm = {
  realm: 'tocsin',
  audience: ['tocsin-api'],
  adminAudience: ['tocsin-engine'],
  // Lifetime longer than any test run. Tests of expiry start their own provider.
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
