import type { Channel, Message } from 'amqplib';

/** Acknowledges on the channel that delivered, a finished prefix at once and the rest singly, once for each turn of the loop. */
export interface Acker {
  taken(message: Message): void;
  done(message: Message): void;
}

export function createAcker(channel: Channel): Acker {
  // Delivery tags rise on a channel, so insertion order is the order of tags.
  const outstanding = new Map<number, { message: Message; done: boolean }>();
  let finished: Message[] = [];
  let scheduled = false;
  let closed = false;
  channel.on('close', () => {
    closed = true;
    outstanding.clear();
  });

  const flush = () => {
    scheduled = false;
    const batch = finished;
    finished = [];
    // The broker has taken back what a closed channel held; the claim's fence makes the second turn harmless.
    if (closed) return;
    try {
      const prefix = takePrefix(outstanding);
      if (prefix !== undefined) channel.ack(prefix, true);
      for (const message of batch) {
        if (outstanding.delete(message.fields.deliveryTag)) channel.ack(message);
      }
    } catch {
      // amqplib throws where the connection is closing and the channel does not know it yet: the same as closed.
      closed = true;
    }
  };

  return {
    taken: (message) => outstanding.set(message.fields.deliveryTag, { message, done: false }),
    done(message) {
      const entry = outstanding.get(message.fields.deliveryTag);
      if (entry === undefined || closed) return;
      entry.done = true;
      finished.push(message);
      if (scheduled) return;
      scheduled = true;
      setImmediate(flush);
    },
  };
}

/** Removes the leading entries that are done; the last of them, if there was one. */
function takePrefix(outstanding: Map<number, { message: Message; done: boolean }>): Message | undefined {
  let last: Message | undefined;
  for (const [tag, { message, done }] of outstanding) {
    if (!done) break;
    outstanding.delete(tag);
    last = message;
  }
  return last;
}
