/**
 * Batches the acknowledgements of one channel, once for each tick of the event loop: the messages up to the first one in
 * flight go in one acknowledgement, the others one by one.
 */
export interface Acker {
  received(tag: number): void;
  ack(tag: number): void;
  /** Ends the acknowledgements, because the broker redelivers everything that was in flight on a closed channel. */
  close(): void;
}

/** @param send acknowledges one delivery tag, or with `allUpTo` every tag up to it. */
export function createAcker(send: (tag: number, allUpTo: boolean) => void): Acker {
  // Delivery tags rise on a channel, so the order of insertion is the order of the tags.
  const isAcked = new Map<number, boolean>();
  let newlyAcked: number[] = [];
  let isScheduled = false;
  let isClosed = false;

  const flush = () => {
    isScheduled = false;
    const tags = newlyAcked;
    newlyAcked = [];
    if (isClosed) return;
    try {
      const prefix = takePrefix(isAcked);
      if (prefix !== undefined) send(prefix, true);
      for (const tag of tags) if (isAcked.delete(tag)) send(tag, false);
    } catch {
      // amqplib throws when the connection is closing and the channel has not learned of it yet.
      isClosed = true;
    }
  };
  return {
    received: (tag) => void isAcked.set(tag, false),
    ack(tag) {
      if (!isAcked.has(tag) || isClosed) return;
      isAcked.set(tag, true);
      newlyAcked.push(tag);
      if (isScheduled) return;
      isScheduled = true;
      setImmediate(flush);
    },
    close() {
      isClosed = true;
      isAcked.clear();
    },
  };
}

/** Removes the leading tags that are acknowledged. Returns the last of them, if there was one. */
function takePrefix(isAcked: Map<number, boolean>): number | undefined {
  let last: number | undefined;
  for (const [tag, acked] of isAcked) {
    if (!acked) break;
    isAcked.delete(tag);
    last = tag;
  }
  return last;
}
