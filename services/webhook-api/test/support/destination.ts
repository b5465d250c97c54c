import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Received {
  path: string;
  rawHeaders: string[];
  body: Buffer;
}

type Respond = (request: Received, response: ServerResponse) => void;

/** A destination that keeps what it gets and answers 200 "ok", or as it is told for a path. */
export async function startDestination() {
  const received: Received[] = [];
  const answers = new Map<string, Respond>();
  const server = createServer(async (request, response) => {
    const entry = { path: request.url ?? '', rawHeaders: request.rawHeaders, body: await readAll(request) };
    received.push(entry);
    const respond = answers.get(entry.path);
    if (respond === undefined) response.end('ok');
    else respond(entry, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: (path: string) => `http://127.0.0.1:${port}${path}`,
    answer: (path: string, respond: Respond) => void answers.set(path, respond),
    at: (path: string) => received.filter((entry) => entry.path === path),
    close: () => {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}
