/**
 * Collects the acknowledgements of one channel, and sends them once in each tick of the event loop. One frame (AMQP
 * `multiple`) acknowledges all settled messages that arrived before the oldest unsettled message. Settled messages that
 * arrived after the oldest unsettled message are acknowledged one by one.
 */
export interface AckBatcher {
  received(tag: number): void;
  ack(tag: number): void;
  /**
   * Drops all further acknowledgements. Must be called when the channel has closed, because the broker then redelivers
   * all messages in flight.
   */
  close(): void;
}

/** @param send acknowledges one delivery tag or, if `allUpTo` is true, every tag up to it */
export function createAckBatcher(send: (tag: number, allUpTo: boolean) => void): AckBatcher {
  // Delivery tags increase on a channel, so the insertion order of the map is the order of the tags.
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
      // amqplib throws if the connection is closing and the channel has not received the close event yet.
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

/**
 * Removes the acknowledged tags before the first tag that is not acknowledged. Returns the last removed tag, or
 * undefined if there is none.
 */
function takePrefix(isAcked: Map<number, boolean>): number | undefined {
  let last: number | undefined;
  for (const [tag, acked] of isAcked) {
    if (!acked) break;
    isAcked.delete(tag);
    last = tag;
  }
  return last;
}
