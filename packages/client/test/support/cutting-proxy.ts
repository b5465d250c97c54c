import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Stands before a broker and can cut every connection to it. */
export async function startCuttingProxy(target: URL) {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const broker = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [client, broker],
      [broker, client],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(target);
  url.port = String((server.address() as AddressInfo).port);
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    cut,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        cut();
      }),
  };
}
