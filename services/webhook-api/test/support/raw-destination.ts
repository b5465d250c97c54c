import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

export interface RawDestination {
  url: string;
  /** Returns the received requests, one character for each byte, and removes them from the list. */
  take(): string[];
  close(): Promise<void>;
}

/**
 * Starts a destination that stores the bytes of each request and responds with 204. It does not use an HTTP parser,
 * which would hide white space and the case of names. Requests need a Content-Length.
 */
export async function startRawDestination(): Promise<RawDestination> {
  let requests: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let received = '';
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1');
      for (let end = endOfRequest(received); end !== undefined; end = endOfRequest(received)) {
        requests.push(received.slice(0, end));
        received = received.slice(end);
        socket.write('HTTP/1.1 204 No Content\r\n\r\n');
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    take() {
      const taken = requests;
      requests = [];
      return taken;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function endOfRequest(received: string): number | undefined {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  // The sender's own Content-Length is the last header line. A configured header can contain the same text, so the
  // pattern matches only at the end.
  const length = Number(/\r\ncontent-length: (\d+)$/.exec(received.slice(0, headEnd))?.[1]);
  const end = headEnd + 4 + length;
  return received.length >= end ? end : undefined;
}
