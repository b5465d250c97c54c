import { LRUCache } from 'lru-cache';

/** What a webhook's destination has shown lately. */
interface Standing {
  /** It answers. */
  proven: boolean;
  /** It answers, and soon, and is not dear. */
  quick: boolean;
  /** Its body takes long to render. */
  dear: boolean;
  /** Whose it is; undefined where it has not answered. */
  workspaceId: string | undefined;
}

export interface Standings {
  of(webhookId: string): Standing;
  /** Since its last answer, in milliseconds; infinite where none is known of, or it has been in trouble since. */
  answeredAgoMs(webhookId: string): number;
  /** It answered after so many milliseconds; undefined: it gave no answer of its own, or is in trouble. */
  /** Its body took so many milliseconds to render. */
  rendered(webhookId: string, tookMs: number): void;
  heard(webhook: { webhookId: string; workspaceId: string }, answeredMs: number | undefined): void;
}

const provenForMs = 30_000;
const quickMs = 500;
/** Of the mean of the last renderings, of which each counts a quarter: one that the machine held up is none. */
const dearMs = 5;
const renderWeight = 1 / 4;
const maxWebhooks = 20_000;

export function createStandings(now: () => number): Standings {
  const answers = new LRUCache<string, { workspaceId: string; atMs: number; tookMs: number }>({
    max: maxWebhooks,
  });
  const renderMs = new LRUCache<string, number>({ max: maxWebhooks });
  return {
    of(webhookId) {
      const dear = (renderMs.get(webhookId) ?? 0) > dearMs;
      const last = answers.get(webhookId);
      const proven = last !== undefined && now() - last.atMs < provenForMs;
      if (!proven) return { proven, quick: false, dear, workspaceId: undefined };
      return { proven, quick: last.tookMs < quickMs && !dear, dear, workspaceId: last.workspaceId };
    },
    rendered(webhookId, tookMs) {
      const meanMs = renderMs.get(webhookId) ?? 0;
      renderMs.set(webhookId, meanMs + (tookMs - meanMs) * renderWeight);
    },
    answeredAgoMs: (webhookId) => now() - (answers.get(webhookId)?.atMs ?? Number.NEGATIVE_INFINITY),
    heard({ webhookId, workspaceId }, answeredMs) {
      if (answeredMs === undefined) answers.delete(webhookId);
      else answers.set(webhookId, { workspaceId, atMs: now(), tookMs: answeredMs });
    },
  };
}
