import { startTcpProxy } from './tcp-proxy.js';

/** Frames `connection.blocked` (with the reason "low") and `connection.unblocked` of RabbitMQ's AMQP 0-9-1. */
const blockedFrame = Buffer.from([1, 0, 0, 0, 0, 0, 8, 0, 10, 0, 60, 3, ...Buffer.from('low'), 0xce]);
const unblockedFrame = Buffer.from([1, 0, 0, 0, 0, 0, 4, 0, 10, 0, 61, 0xce]);

/** Frame `connection.close` with code 320, as `rabbitmqctl close_all_connections` sends it. */
const closeFrame = Buffer.from([1, 0, 0, 0, 0, 0, 11, 0, 10, 0, 50, 1, 64, 0, 0, 0, 0, 0, 0xce]);

/** Class id 20 and method id 40 of AMQP 0-9-1, with which the payload of the frame `channel.close` begins. */
const channelClose = Buffer.from([0, 20, 0, 40]);

/** Starts a TCP proxy in front of a broker. It can also send AMQP frames to clients, as if the broker had sent them. */
export async function startBrokerProxy(brokerUrl: string) {
  const proxy = await startTcpProxy(brokerUrl);
  return {
    ...proxy,
    /**
     * Stops forwarding bytes to the broker. Clients see the same as during a memory alarm, when a broker stops reading.
     */
    stopReading: () => proxy.freeze('to-server'),
    /** Sends `connection.close` to the client in the same packet as the next reply from the broker. */
    closeWithNextReply: () => proxy.injectWithNext(closeFrame),
    /** Cuts the connection of the next client that closes a channel. The broker does not receive the request. */
    cutAtChannelClose: () => proxy.cutAtNext(channelClose),
    sendBlocked: () => proxy.inject(blockedFrame),
    unblock() {
      proxy.inject(unblockedFrame);
      proxy.thaw();
    },
  };
}
