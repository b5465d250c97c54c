import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** Stands before a server and can be told to refuse, or to go silent with connections open. */
export async function startGate(target: URL) {
  let mode: 'open' | 'refuse' | 'silent' = 'open';
  const sockets = new Set<Socket>();
  const server: Server = createServer((client) => {
    if (mode === 'refuse') return void client.destroy();
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (chunk) => mode !== 'silent' && upstream.write(chunk));
    upstream.on('data', (chunk) => mode !== 'silent' && client.write(chunk));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = new URL(target);
  address.port = String((server.address() as AddressInfo).port);
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: address.href,
    open: () => {
      mode = 'open';
      cut();
    },
    refuse: () => {
      mode = 'refuse';
      cut();
    },
    silence: () => {
      mode = 'silent';
    },
    close: () => {
      cut();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
