import { rmSync } from 'node:fs';
import type { RoleName } from '../oidc/accounts.js';
import { writePrivately } from '../write-privately.js';
import { consoleClientId, deviceClientId } from './infrastructure.js';
import type { StackPorts } from './ports.js';
import type { Secrets } from './state.js';

interface ClientCredentials {
  client_id: string;
  client_secret: string;
}

/**
 * `.tocsin/stack.json`: addresses and process ids for scripts. The id 0 means that the launcher did not start the
 * process.
 */
export interface StackFile {
  api_url: string;
  engine_url: string;
  auth_url: string;
  realm: string;
  inbox_url: string;
  amqp_url: string;
  database_url: string;
  engine_admin_key: string;
  workspace_id: string;
  other_workspace_id: string;
  /** Service accounts by role; empty if OIDC_ISSUER is the URL of an external provider. */
  clients: Partial<Record<RoleName, ClientCredentials>>;
  device_client_id: string;
  console_client_id: string;
  users: Record<string, string>;
  /** Base URLs of `/livez` and `/readyz`, in the order of `pids`. */
  health_urls: ServiceUrls;
  /** URLs of the metrics, in the order of `pids`. */
  metrics_urls: ServiceUrls;
  pids: {
    'webhook-api': number;
    'engine-auth': number;
    'delivery-worker': number[];
    postgres: number;
    rabbitmq: number;
  };
}

type ServiceUrls = Record<'webhook-api' | 'engine-auth' | 'delivery-worker', string[]>;

export function writeStackFile(file: string, content: StackFile): void {
  writePrivately(file, `${JSON.stringify(content, null, 2)}\n`);
}

export function removeStackFile(file: string): void {
  rmSync(file, { force: true });
}

export interface StackFacts {
  secrets: Secrets;
  /** The engine's admin key. `GENAI_ENGINE_ADMIN_KEY` in the launcher's environment overrides the stored key. */
  engineAdminKey: string;
  ports: StackPorts;
  databaseUrl: string;
  amqpUrl: string;
  issuer: string;
  /** True if the launcher started the provider. The clients and users are known only in this case. */
  isOwnProvider: boolean;
  pidOf: (name: string) => number;
  workerNames: readonly string[];
}

export function describeStack(facts: StackFacts): StackFile {
  const { secrets, engineAdminKey, ports, databaseUrl, amqpUrl, issuer, isOwnProvider, pidOf, workerNames } =
    facts;
  const { authUrl, realm } = splitIssuer(issuer);
  const services = Object.entries(isOwnProvider ? secrets.people.services : {});
  const users = Object.entries(isOwnProvider ? secrets.people.users : {});
  return {
    api_url: baseUrl(ports.webhookApi),
    engine_url: baseUrl(ports.engineAuth),
    auth_url: authUrl,
    realm,
    inbox_url: baseUrl(ports.inbox),
    amqp_url: amqpUrl,
    database_url: databaseUrl,
    engine_admin_key: engineAdminKey,
    workspace_id: secrets.workspaceId,
    other_workspace_id: secrets.otherWorkspaceId,
    clients: Object.fromEntries(
      services.map(([name, { clientId, clientSecret }]) => [
        name,
        { client_id: clientId, client_secret: clientSecret },
      ]),
    ),
    device_client_id: deviceClientId,
    console_client_id: consoleClientId,
    users: Object.fromEntries(users.map(([name, { password }]) => [name, password])),
    health_urls: {
      'webhook-api': [baseUrl(ports.webhookApi)],
      'engine-auth': [baseUrl(ports.engineAuth)],
      'delivery-worker': ports.workers.map(({ health }) => baseUrl(health)),
    },
    metrics_urls: {
      'webhook-api': [metricsUrl(ports.webhookApiMetrics)],
      'engine-auth': [metricsUrl(ports.engineAuthMetrics)],
      'delivery-worker': ports.workers.map(({ metrics }) => metricsUrl(metrics)),
    },
    pids: {
      'webhook-api': pidOf('webhook-api'),
      'engine-auth': pidOf('engine-auth'),
      'delivery-worker': workerNames.map(pidOf),
      postgres: pidOf('postgres'),
      rabbitmq: pidOf('rabbitmq'),
    },
  };
}

function baseUrl(port: number): string {
  return `http://127.0.0.1:${port}`;
}

function metricsUrl(port: number): string {
  return `${baseUrl(port)}/metrics`;
}

/** Splits a Keycloak issuer `{auth_url}/realms/{realm}`. Other providers have no realm. */
function splitIssuer(issuer: string): { authUrl: string; realm: string } {
  const match = /^(.*)\/realms\/([^/]+)\/?$/.exec(issuer);
  return { authUrl: match?.[1] ?? issuer, realm: match?.[2] ?? '' };
}
