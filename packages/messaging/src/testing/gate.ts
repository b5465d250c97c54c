import { startTcpProxy } from '@tocsin/kit/testing';

/** `connection.blocked` and `connection.unblocked` (RabbitMQ's extension of AMQP 0-9-1). */
const blockedFrame = Buffer.from([1, 0, 0, 0, 0, 0, 8, 0, 10, 0, 60, 3, ...Buffer.from('low'), 0xce]);
const unblockedFrame = Buffer.from([1, 0, 0, 0, 0, 0, 4, 0, 10, 0, 61, 0xce]);

/** `connection.close`, 320, as `rabbitmqctl close_all_connections` sends it. */
const closeFrame = Buffer.from([1, 0, 0, 0, 0, 0, 11, 0, 10, 0, 50, 1, 64, 0, 0, 0, 0, 0, 0xce]);

/** The first bytes of `channel.close`, as a client asks for it. */
const channelClose = Buffer.from([0, 20, 0, 40]);

/** A way to the broker on which we can also be held back or left as the broker does it: nothing of us is read, and it says so. */
export async function startGate(brokerUrl: string) {
  const proxy = await startTcpProxy(brokerUrl);
  return {
    ...proxy,
    stopReading: () => proxy.freeze('to-server'),
    /** What the broker says next is followed by its farewell, to be read at once with it. */
    closeWithNextReply: () => proxy.sayWithNext(closeFrame),
    /** As soon as the client asks to close a channel. */
    cutAtChannelClose: () => proxy.cutAtNext(channelClose),
    sayBlocked: () => proxy.say(blockedFrame),
    unblock() {
      proxy.say(unblockedFrame);
      proxy.thaw();
    },
  };
}
