import { LRUCache } from 'lru-cache';

/** What a webhook's destination has shown lately. */
export interface Standing {
  /** It answers. */
  proven: boolean;
  /** It answers, and soon. */
  quick: boolean;
  /** Whose it is; undefined where it has not answered. */
  workspaceId: string | undefined;
}

export interface Standings {
  of(webhookId: string): Standing;
  /** Since its last answer, in milliseconds; infinite where none is known of, or it has been in trouble since. */
  answeredAgoMs(webhookId: string): number;
  /** It answered after so many milliseconds; undefined: it gave no answer of its own, or is in trouble. */
  heard(webhook: { webhookId: string; workspaceId: string }, answeredMs: number | undefined): void;
}

const provenForMs = 30_000;
const quickMs = 500;
const maxWebhooks = 20_000;

export function createStandings(now: () => number): Standings {
  const answers = new LRUCache<string, { workspaceId: string; atMs: number; tookMs: number }>({
    max: maxWebhooks,
  });
  return {
    of(webhookId) {
      const last = answers.get(webhookId);
      const proven = last !== undefined && now() - last.atMs < provenForMs;
      if (!proven) return { proven, quick: false, workspaceId: undefined };
      return { proven, quick: last.tookMs < quickMs, workspaceId: last.workspaceId };
    },
    answeredAgoMs: (webhookId) => now() - (answers.get(webhookId)?.atMs ?? Number.NEGATIVE_INFINITY),
    heard({ webhookId, workspaceId }, answeredMs) {
      if (answeredMs === undefined) answers.delete(webhookId);
      else answers.set(webhookId, { workspaceId, atMs: now(), tookMs: answeredMs });
    },
  };
}
