import { type Fixtures, writeFixtures } from '../test-bed/fixtures.js';
import { startIdentityProvider } from '../test-bed/identity-provider.js';
import { type Replicas, startReplicas } from '../test-bed/replicas/replicas.js';
import type { ServersOptions } from '../test-bed/servers.js';
import { type ProxiedService, startProxiedService } from '../test-bed/services.js';
import { createTestBed, type TestBed } from '../test-bed/test-bed.js';
import type { Timing } from './timing.js';

/** A test bed whose services connect through proxies, so that faults can freeze and cut their connections. */
export interface FaultTestBed extends TestBed {
  workers: ProxiedService[];
  api: ProxiedService;
  fixtures: Fixtures;
  /** Access token of a publisher of the workspace. */
  token: string;
  /** Access token of an admin who has permission to publish in every workspace. */
  adminToken: string;
  timing: Timing;
  /** Replicated servers, or undefined if the test bed has single servers. */
  replicas: Replicas | undefined;
}

export interface FaultTestBedOptions {
  timing: Timing;
  /** True for three brokers and two databases behind a balancer instead of single servers. */
  replicated?: boolean;
  /** Node.js options that load a mutation (a deliberate defect, see `mutations.ts`) into the workers or the API. */
  nodeOptions?: { worker?: string[]; api?: string[] };
  print(line: string): void;
}

export const webhooksPerAlert = 2;
const workerCount = 2;

export async function createFaultTestBed(options: FaultTestBedOptions): Promise<FaultTestBed> {
  const { timing, replicated = false, nodeOptions = {}, print } = options;
  let replicas: Replicas | undefined;
  const startReplicated = async (servers: ServersOptions) => {
    replicas = await startReplicas(servers);
    return replicas;
  };
  const testBed = await createTestBed({ print, ...(replicated && { startServers: startReplicated }) });
  const { database, destination, secretBox } = testBed;
  const fixtures = await writeFixtures(database, { secretBox, urls: destination.urls(webhooksPerAlert) });
  const provider = await startIdentityProvider(testBed, fixtures.workspaceId);
  // The checks read only warnings and errors. This level keeps the log files small.
  const env = { LOG_LEVEL: 'warn', ...timing.env };
  const [api, ...workers] = await Promise.all([
    startProxiedService(testBed, {
      kind: 'webhook-api',
      nodeOptions: nodeOptions.api ?? [],
      // This rate limit is so high that no fault reaches it.
      env: { ...env, OIDC_ISSUER: provider.issuer, ALERTS_PER_MINUTE: '1000000' },
    }),
    ...Array.from({ length: workerCount }, (_, index) =>
      startProxiedService(testBed, {
        kind: 'delivery-worker',
        name: `worker-${index + 1}`,
        nodeOptions: nodeOptions.worker ?? [],
        env,
      }),
    ),
  ]);
  return {
    ...testBed,
    workers,
    api,
    fixtures,
    token: await provider.fetchToken('publisher'),
    adminToken: await provider.fetchToken('admin'),
    timing,
    replicas,
    async stop() {
      await Promise.all([api, ...workers].map((service) => service.stop()));
      await provider.stop();
      await testBed.stop();
    },
  };
}
