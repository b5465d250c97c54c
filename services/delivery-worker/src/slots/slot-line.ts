import type { Slot, Taker } from './slots.js';
import type { Standings } from './standing.js';

export interface SlotLineDeps {
  take: (taker: Taker) => Slot | undefined;
  standings: Standings;
  now: () => number;
  waitMs: number;
}

/** One that answers soon is waited for so many times longer, and again while it answers: it will give a slot back. */
const quickPatience = 5;
/** A claim's lease must leave time for the request. */
const maxWaitMs = 5_000;

/** Those that wait a moment for a slot. */
export function createSlotLine({ take, standings, now, waitMs }: SlotLineDeps) {
  const waiting = new Map<string, Set<(slot: Slot) => void>>();
  const isQuick = (webhookId: string) => standings.of(webhookId).quick;
  const patienceMs = (webhookId: string) => (isQuick(webhookId) ? quickPatience * waitMs : waitMs);
  return {
    /** Undefined where the moment has passed. */
    wait: (taker: Taker) =>
      new Promise<Slot | undefined>((resolve) => {
        const { webhookId } = taker;
        const waiters = waiting.get(webhookId) ?? new Set();
        waiting.set(webhookId, waiters);
        const end = (slot: Slot | undefined) => {
          clearTimeout(timer);
          waiters.delete(end);
          if (waiters.size === 0) waiting.delete(webhookId);
          resolve(slot);
        };
        const startedAt = now();
        const expire = () => {
          // Another webhook may have made room, which wakes nobody here.
          const slot = take(taker);
          if (slot !== undefined) return end(slot);
          const isSilent = standings.answeredAgoMs(webhookId) > patienceMs(webhookId);
          if (isSilent || !isQuick(webhookId) || now() - startedAt > maxWaitMs) return end(undefined);
          timer = setTimeout(expire, patienceMs(webhookId));
        };
        let timer = setTimeout(expire, patienceMs(webhookId));
        waiters.add(end);
      }),
    /** A slot of the webhook has become free. */
    wake(taker: Taker) {
      for (const wakeOne of waiting.get(taker.webhookId) ?? []) {
        const slot = take(taker);
        if (slot === undefined) return;
        wakeOne(slot);
      }
    },
  };
}
