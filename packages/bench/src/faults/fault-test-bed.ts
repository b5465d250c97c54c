import { randomBytes, randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createDatabase,
  createSecretBox,
  type Database,
  migrateDatabase,
  parseSecretKeys,
} from '@tocsin/database';
import { createProcessHost, makeDirectory, startProvider } from '@tocsin/local';
import type { CounterCommands } from '../destination/counter-main.js';
import type { DoorsCommands } from '../load/publisher-main.js';
import { type Scene, writeScene } from '../test-bed/fixtures-repository.js';
import { type Helper, startHelper } from '../test-bed/helper-process.js';
import {
  type BrokerServer,
  type DatabaseServer,
  startBrokerServer,
  startDatabaseServer,
} from '../test-bed/servers.js';
import { type ServicePart, startServicePart } from '../test-bed/services.js';
import type { Timing } from './timing.js';

/** Where faults are inflicted: real parts, each a process that can be killed, with a wire that can be frozen. */
export interface Stage {
  postgres: DatabaseServer;
  rabbitmq: BrokerServer;
  workers: ServicePart[];
  api: ServicePart;
  /** Past every proxy; away while the server is. */
  database: Database;
  counter: Helper<CounterCommands>;
  doors: Helper<DoorsCommands>;
  scene: Scene;
  token: string;
  timing: Timing;
  /** A number for each run, so that its alerts are told from all others. */
  nextRun(): number;
  say(line: string): void;
  stop(): Promise<void>;
}

export interface StageOptions {
  timing: Timing;
  /** Node options of the workers and of the API, as for sabotage. */
  nodeOptions: { worker: string[]; api: string[] };
  say(line: string): void;
}

export const webhooksPerAlert = 2;
const workers = 2;
/** More hours than a suite can take. */
const tokenTtlSeconds = 86_400;

export async function startStage({ timing, nodeOptions, say }: StageOptions): Promise<Stage> {
  const directory = mkdtempSync(join(tmpdir(), 'tocsin-faults-'));
  // PostgreSQL runs as a user of its own when we are root.
  chmodSync(directory, 0o711);
  const processes = createProcessHost();
  processes.removeAtEnd(directory);
  const logOf = (name: string) => join(directory, 'logs', `${name}.log`);
  const servers = { processes, directory, logOf, say };
  const [postgres, rabbitmq] = await Promise.all([startDatabaseServer(servers), startBrokerServer(servers)]);
  const database = createDatabase({ url: postgres.url, applicationName: 'tocsin-faults', poolSize: 4 });
  await migrateDatabase(database);

  const secretsKeys = `faults:${randomBytes(32).toString('base64')}`;
  const counter = startHelper<CounterCommands>(import.meta.url, '../destination/counter-main.js');
  const doors = startHelper<DoorsCommands>(import.meta.url, '../load/publisher-main.js');
  const { port } = await counter.call('listen', undefined);
  const urls = Array.from(
    { length: webhooksPerAlert },
    (_, index) => `http://127.0.0.1:${port}/hook/${index}`,
  );
  const scene = await writeScene(database, { secrets: createSecretBox(parseSecretKeys(secretsKeys)), urls });

  const people = makeDirectory({ workspaceId: scene.workspaceId, otherWorkspaceId: randomUUID() });
  const provider = await startProvider({
    port: 0,
    realm: 'tocsin',
    audience: ['tocsin-api'],
    accessTokenTtlSeconds: tokenTtlSeconds,
    refreshTokenTtlSeconds: tokenTtlSeconds,
    rotateRefreshTokens: true,
    deviceClientId: 'tocsin-cli',
    consoleClientId: 'tocsin-console',
    consoleRedirectUris: ['http://127.0.0.1/console/'],
    directory: people,
  });
  const settings = { processes, directory, logOf, databaseUrl: postgres.url, amqpUrl: rabbitmq.url };
  const env = { SECRETS_KEYS: secretsKeys, ...timing.env };
  const [api, ...started] = await Promise.all([
    startServicePart('webhook-api', 'api', {
      ...settings,
      nodeOptions: nodeOptions.api,
      // What is tried is acceptance under faults, not the limit on its rate.
      env: {
        ...env,
        OIDC_ISSUER: provider.issuer,
        OIDC_AUDIENCE: 'tocsin-api',
        ALERTS_PER_MINUTE: '1000000',
      },
    }),
    ...Array.from({ length: workers }, (_, index) =>
      startServicePart(`worker-${index + 1}`, 'worker', {
        ...settings,
        nodeOptions: nodeOptions.worker,
        env,
      }),
    ),
  ]);
  let run = 0;
  return {
    postgres,
    rabbitmq,
    workers: started,
    api,
    database,
    counter,
    doors,
    scene,
    token: await fetchToken(provider.issuer, people.services.publisher),
    timing,
    nextRun() {
      run += 1;
      return run;
    },
    say,
    async stop() {
      await Promise.all([api, ...started].map((part) => part.stop()));
      await Promise.all([counter.stop(), doors.stop(), provider.close(), database.close()]);
      await rabbitmq.stop();
      await postgres.stop();
      processes.close();
    },
  };
}

async function fetchToken(
  issuer: string,
  client: { clientId: string; clientSecret: string },
): Promise<string> {
  const response = await fetch(`${issuer}/protocol/openid-connect/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: client.clientId,
      client_secret: client.clientSecret,
    }),
  });
  if (!response.ok) throw new Error(`The provider answered ${response.status}: ${await response.text()}`);
  const { access_token: token } = (await response.json()) as { access_token: string };
  return token;
}
