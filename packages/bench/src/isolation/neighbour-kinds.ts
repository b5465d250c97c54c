import { maxWebhookIds } from '@tocsin/contracts';
import { type Destination, startDestination } from '../destination/start-destination.js';
import { type HelperProcess, startHelper } from '../test-bed/helper-process.js';
import type { BlackholeCommands } from './blackhole-server-main.js';
import { worstTemplate } from './worst-template.js';

/** Noisy neighbours: webhooks of other workspaces that share the workers with the measured webhooks. */
export interface NoisyNeighbours {
  name: string;
  kind: 'no webhooks' | 'hanging destination' | 'hanging name server' | 'expensive template';
  webhooks: number;
  deliveriesPerSecond: number;
}

/**
 * Neighbours for comparison with the other kinds: they publish 500 alerts per second, whose rules have no webhooks. The
 * alerts have no deliveries, so `deliveriesPerSecond` is the number of alerts per second.
 */
export const alertsOnly: NoisyNeighbours = {
  name: 'as many alerts without webhooks',
  kind: 'no webhooks',
  webhooks: 0,
  deliveriesPerSecond: 500,
};

export const noisyNeighbours: NoisyNeighbours[] = [
  ...[1, 10, 100].map((webhooks) => ({
    name: `${webhooks} ${webhooks === 1 ? 'webhook' : 'webhooks'} with a hanging destination`,
    kind: 'hanging destination' as const,
    webhooks,
    deliveriesPerSecond: 500,
  })),
  {
    name: '100 webhooks with a hanging name server',
    kind: 'hanging name server',
    webhooks: 100,
    deliveriesPerSecond: 500,
  },
  {
    name: '1 webhook with the most expensive template',
    kind: 'expensive template',
    webhooks: 1,
    deliveriesPerSecond: 100,
  },
];

/** Servers that receive the neighbours' requests. */
export interface NeighbourServers {
  blackhole: HelperProcess<BlackholeCommands>;
  responding: Destination;
  nodeOptions(neighbours: NoisyNeighbours): Promise<string[]>;
  countRequests(neighbours: NoisyNeighbours): Promise<number>;
  stop(): Promise<void>;
}

export async function startNeighbourServers(): Promise<NeighbourServers> {
  const blackhole = startHelper<BlackholeCommands>(import.meta.url, './blackhole-server-main.js');
  const responding = await startDestination();
  return {
    blackhole,
    responding,
    async nodeOptions({ kind }) {
      if (kind !== 'hanging name server') return [];
      const { nameServerPort } = await blackhole.call('listen', undefined);
      const override = new URL('./resolver-override-main.js', import.meta.url);
      override.searchParams.set('server', `127.0.0.1:${nameServerPort}`);
      return ['--import', override.href];
    },
    async countRequests({ kind }) {
      if (kind === 'expensive template') return (await responding.call('progress', undefined)).unexpected;
      const { connections, nameQueries } = await blackhole.call('counts', undefined);
      return kind === 'hanging name server' ? nameQueries : connections;
    },
    async stop() {
      await Promise.all([blackhole.stop(), responding.stop()]);
    },
  };
}

export interface WebhookGroup {
  urls: string[];
  body?: string;
}

/**
 * Returns groups of webhooks. Each group becomes the webhooks of one rule. The first group is used in the warm-up, and
 * the others in the measurement.
 */
export async function groupWebhooks(
  { kind, webhooks }: NoisyNeighbours,
  { blackhole, responding }: NeighbourServers,
): Promise<WebhookGroup[]> {
  if (kind === 'no webhooks') return [{ urls: [] }, { urls: [] }];
  if (kind === 'expensive template') {
    const group = { urls: responding.urls(webhooks), body: worstTemplate };
    return [group, group];
  }
  const { port } = await blackhole.call('listen', undefined);
  const urlOf = (index: number) =>
    kind === 'hanging name server'
      ? `http://hangs-${index}.test:${port}/`
      : `http://127.0.0.1:${port}/${index}`;
  const urls = Array.from({ length: webhooks }, (_, index) => urlOf(index));
  const rules = Array.from({ length: Math.ceil(webhooks / maxWebhookIds) }, (_, index) => ({
    urls: urls.slice(index * maxWebhookIds, (index + 1) * maxWebhookIds),
  }));
  return [{ urls: [urlOf(webhooks)] }, ...rules];
}
