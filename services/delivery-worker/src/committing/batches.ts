import { createFairQueue } from '@tocsin/kit';

/**
 * Gathers items into batches that grow with the load: what comes while a batch is under way goes with the next, and an
 * item alone waits for nobody. A further lane takes no smaller batch than the one before: under little load it saves the
 * waiting, and under much load many small batches do not take a large one's place.
 */
export interface Batches<Item> {
  add(item: Item): void;
  /** Takes out what waits. */
  clear(): Item[];
}

export interface BatchesOptions<Item> {
  /** Never rejects. */
  run: (items: Item[]) => Promise<void>;
  /** Items of a batch at the most. */
  maxSize: number;
  /** Batches under way at once. */
  lanes: number;
  /**
   * So many milliseconds pass between two batches, but where the next is full as the last one ends: for what nobody waits
   * for, a few large batches cost the database and this process much less than many small ones.
   */
  gatherMs?: number;
  onBatch?: (size: number) => void;
  /** What waits is taken in turn by this; else in its order. */
  turnOf?: (item: Item) => string;
  /** How many may leave now, of so many that wait; it is asked again soon where that is none. */
  room?: (waiting: number) => number;
}

const roomPollMs = 2;

export function createBatches<Item>(options: BatchesOptions<Item>): Batches<Item> {
  const { run, maxSize, lanes, gatherMs = 0 } = options;
  const { onBatch = () => {}, turnOf = () => '', room = () => maxSize } = options;
  const waiting = createFairQueue<Item>(turnOf);
  let busy = 0;
  let lastSize = 0;
  let leftAtMs = Number.NEGATIVE_INFINITY;
  let scheduled = false;

  const mayLeave = () => waiting.size() > 0 && (busy === 0 || (busy < lanes && waiting.size() >= lastSize));
  const gatherLeftMs = () => (waiting.size() < maxSize ? leftAtMs + gatherMs - performance.now() : 0);
  const flushAfter = (ms: number) => {
    scheduled = true;
    setTimeout(flush, ms);
  };
  const flush = () => {
    scheduled = false;
    while (mayLeave()) {
      if (gatherMs > 0 && gatherLeftMs() > 0) return flushAfter(gatherLeftMs());
      const size = Math.min(maxSize, room(waiting.size()));
      if (size === 0) return flushAfter(roomPollMs);
      const batch = waiting.take(size);
      busy += 1;
      lastSize = batch.length;
      leftAtMs = performance.now();
      onBatch(batch.length);
      void run(batch).then(() => {
        busy -= 1;
        if (!scheduled) flush();
      });
    }
  };
  return {
    add(item) {
      waiting.add(item);
      if (scheduled || !mayLeave()) return;
      scheduled = true;
      // One turn of the loop: what arrived in the same read of the socket goes together.
      setImmediate(flush);
    },
    clear: () => waiting.take(waiting.size()),
  };
}
