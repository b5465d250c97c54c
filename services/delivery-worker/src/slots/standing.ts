import { LRUCache } from 'lru-cache';

/** What a webhook's destination has shown lately. */
export interface Standing {
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
  /** Its body took so many milliseconds to render. */
  rendered(webhookId: string, tookMs: number): void;
  /** It answered after so many milliseconds; undefined: it gave no answer of its own, or is in trouble. */
  heard(webhook: { webhookId: string; workspaceId: string }, answeredMs: number | undefined): void;
}

const provenForMs = 30_000;
const quickMs = 500;
/** A rendering that takes longer is dear, or the machine held it up: so one dear one makes no dear webhook. */
const dearMs = 5;
/** What a dear rendering adds and another takes away, how much there is at the most, and how much makes a webhook dear. */
const dearScore = { up: 1, down: 1 / 4, most: 4, dear: 2 };
const maxWebhooks = 20_000;

export function createStandings(now: () => number): Standings {
  const answers = new LRUCache<string, { workspaceId: string; atMs: number; tookMs: number }>({
    max: maxWebhooks,
  });
  /** Of nearly all webhooks there is nothing here. */
  const scores = new LRUCache<string, number>({ max: maxWebhooks });
  return {
    of(webhookId) {
      const dear = (scores.get(webhookId) ?? 0) >= dearScore.dear;
      const last = answers.get(webhookId);
      const proven = last !== undefined && now() - last.atMs < provenForMs;
      if (!proven) return { proven, quick: false, dear, workspaceId: undefined };
      return { proven, quick: last.tookMs < quickMs && !dear, dear, workspaceId: last.workspaceId };
    },
    rendered(webhookId, tookMs) {
      const score = scores.get(webhookId) ?? 0;
      if (tookMs > dearMs) scores.set(webhookId, Math.min(dearScore.most, score + dearScore.up));
      else if (score > dearScore.down) scores.set(webhookId, score - dearScore.down);
      else if (score > 0) scores.delete(webhookId);
    },
    answeredAgoMs: (webhookId) => now() - (answers.get(webhookId)?.atMs ?? Number.NEGATIVE_INFINITY),
    heard({ webhookId, workspaceId }, answeredMs) {
      if (answeredMs === undefined) answers.delete(webhookId);
      else answers.set(webhookId, { workspaceId, atMs: now(), tookMs: answeredMs });
    },
  };
}
