import { startTcpProxy } from '@tocsin/kit/testing';

/** `connection.blocked` and `connection.unblocked` (RabbitMQ's extension of AMQP 0-9-1). */
const blockedFrame = Buffer.from([1, 0, 0, 0, 0, 0, 8, 0, 10, 0, 60, 3, ...Buffer.from('low'), 0xce]);
const unblockedFrame = Buffer.from([1, 0, 0, 0, 0, 0, 4, 0, 10, 0, 61, 0xce]);

/** `connection.close` with code 320, as `rabbitmqctl close_all_connections` sends it. */
const closeFrame = Buffer.from([1, 0, 0, 0, 0, 0, 11, 0, 10, 0, 50, 1, 64, 0, 0, 0, 0, 0, 0xce]);

/** The first bytes of the client's `channel.close`. */
const channelClose = Buffer.from([0, 20, 0, 40]);

/** A TCP proxy to the broker that can also block or close a connection as the broker does. */
export async function startBrokerProxy(brokerUrl: string) {
  const proxy = await startTcpProxy(brokerUrl);
  return {
    ...proxy,
    stopReading: () => proxy.freeze('to-server'),
    /** The broker's next reply and `connection.close` arrive together. */
    closeWithNextReply: () => proxy.sayWithNext(closeFrame),
    /** Cuts the connection when the client starts to close a channel. */
    cutAtChannelClose: () => proxy.cutAtNext(channelClose),
    sayBlocked: () => proxy.say(blockedFrame),
    unblock() {
      proxy.say(unblockedFrame);
      proxy.thaw();
    },
  };
}
