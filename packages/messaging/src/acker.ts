import type { Channel, Message } from 'amqplib';

/** Acknowledges on the channel that delivered, a finished prefix at once and the rest singly, once for each turn of the loop. */
export interface Acker {
  taken(tag: number): void;
  done(tag: number): void;
}

export function createAcker(channel: Channel): Acker {
  // Delivery tags rise on a channel, so insertion order is the order of tags.
  const isDone = new Map<number, boolean>();
  let finished: number[] = [];
  let isScheduled = false;
  let isClosed = false;
  channel.on('close', () => {
    isClosed = true;
    isDone.clear();
  });

  const flush = () => {
    isScheduled = false;
    const batch = finished;
    finished = [];
    // The broker has taken back what a closed channel held; the claim's fence makes the second turn harmless.
    if (isClosed) return;
    try {
      const prefix = takePrefix(isDone);
      if (prefix !== undefined) channel.ack(messageOf(prefix), true);
      for (const tag of batch) {
        if (isDone.delete(tag)) channel.ack(messageOf(tag));
      }
    } catch {
      // amqplib throws where the connection is closing and the channel does not know it yet: the same as closed.
      isClosed = true;
    }
  };

  return {
    taken: (tag) => isDone.set(tag, false),
    done(tag) {
      if (!isDone.has(tag) || isClosed) return;
      isDone.set(tag, true);
      finished.push(tag);
      if (isScheduled) return;
      isScheduled = true;
      setImmediate(flush);
    },
  };
}

/** Removes the leading tags that are done; the last of them, if there was one. */
function takePrefix(isDone: Map<number, boolean>): number | undefined {
  let last: number | undefined;
  for (const [tag, done] of isDone) {
    if (!done) break;
    isDone.delete(tag);
    last = tag;
  }
  return last;
}

/** All that amqplib looks at when it acknowledges; the rest of a message need not be kept for it. */
function messageOf(deliveryTag: number): Message {
  return { fields: { deliveryTag } } as Message;
}
