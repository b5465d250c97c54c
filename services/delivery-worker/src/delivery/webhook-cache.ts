import { createPromiseBatcher } from '@tocsin/kit';
import { LRUCache } from 'lru-cache';
import type { DatabaseRetry } from '../database-retry.js';
import type { Destination, Unopened, WebhooksReader } from './webhooks-reader.js';

/** Webhooks opened and kept by id and version: an old version is never sent to. */
export interface WebhookCache {
  /** The webhook at `version` or later; undefined where it is gone. What could not be opened is read anew each time. */
  get(id: string, version: number): Promise<Destination | Unopened | undefined>;
}

const maxWebhooks = 5_000;

export function createWebhookCache(reader: WebhooksReader, databaseRetry: DatabaseRetry): WebhookCache {
  const known = new LRUCache<string, Destination>({ max: maxWebhooks });
  const loader = createPromiseBatcher<string, Destination | Unopened | undefined>({
    run: async (ids) => {
      const found = await databaseRetry.whileUnavailable(() => reader.find([...new Set(ids)]));
      const byId = new Map(found.map((webhook) => [webhook.id, webhook]));
      return ids.map((id) => byId.get(id));
    },
    maxSize: 50,
    concurrency: 2,
  });
  return {
    async get(id, version) {
      const cached = known.get(id);
      if (cached !== undefined && cached.version >= version) return cached;
      const loaded = await loader.add(id);
      if (loaded !== undefined && !('error' in loaded)) known.set(id, loaded);
      return loaded;
    },
  };
}
