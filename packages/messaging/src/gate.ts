import { type AddressInfo, connect as connectTo, createServer, type Socket } from 'node:net';

/** `connection.blocked` and `connection.unblocked` (RabbitMQ's extension of AMQP 0-9-1). */
const blockedFrame = Buffer.from([1, 0, 0, 0, 0, 0, 8, 0, 10, 0, 60, 3, ...Buffer.from('low'), 0xce]);
const unblockedFrame = Buffer.from([1, 0, 0, 0, 0, 0, 4, 0, 10, 0, 61, 0xce]);

/** `connection.close`, 320, as `rabbitmqctl close_all_connections` sends it. */
const closeFrame = Buffer.from([1, 0, 0, 0, 0, 0, 11, 0, 10, 0, 50, 1, 64, 0, 0, 0, 0, 0, 0xce]);

/** A way to the broker that can be cut, frozen, and held back or left as the broker does it: nothing of us is read, and it says so. */
export async function startGate(target: URL) {
  const inners = new Set<Socket>();
  const outers = new Set<Socket>();
  let edit = (data: Buffer) => data;
  const server = createServer((inner) => {
    const outer = connectTo(Number(target.port), target.hostname);
    for (const [sockets, socket] of [[inners, inner] as const, [outers, outer] as const]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    }
    inner.on('data', (data) => outer.write(data)).on('close', () => outer.destroy());
    outer.on('data', (data) => inner.write(edit(data))).on('close', () => inner.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = new URL(target.href);
  address.port = String((server.address() as AddressInfo).port);
  const cut = () => {
    for (const socket of [...inners, ...outers]) socket.destroy();
  };
  return {
    url: address.href,
    cut,
    /** What is sent lies still. */
    freeze: () => {
      for (const socket of [...inners, ...outers]) socket.pause();
    },
    thaw: () => {
      for (const socket of [...inners, ...outers]) socket.resume();
    },
    stopReading: () => {
      for (const inner of inners) inner.pause();
    },
    /** What the broker says next is followed by its farewell, to be read at once with it. */
    closeWithNextReply: () => {
      edit = (data) => {
        edit = (later) => later;
        return Buffer.concat([data, closeFrame]);
      };
    },
    sayBlocked: () => {
      for (const inner of inners) inner.write(blockedFrame);
    },
    unblock: () => {
      for (const inner of inners) {
        inner.write(unblockedFrame);
        inner.resume();
      }
    },
    close: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
