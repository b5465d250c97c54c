import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Received {
  path: string;
  rawHeaders: string[];
  body: string;
  atMs: number;
}

type Answer = (request: Received, response: ServerResponse) => void;

/** A destination that keeps what it gets and answers as it is told; 200 "ok" otherwise. */
export async function startDestination() {
  const received: Received[] = [];
  const answers = new Map<string, Answer>();
  const server = createServer(async (request, response) => {
    const entry = {
      path: request.url ?? '',
      rawHeaders: request.rawHeaders,
      body: await text(request),
      atMs: Date.now(),
    };
    received.push(entry);
    const answer = answers.get(entry.path);
    if (answer === undefined) response.end('ok');
    else answer(entry, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    received,
    url: (path: string) => `http://127.0.0.1:${port}${path}`,
    answer: (path: string, answer: Answer) => void answers.set(path, answer),
    at: (path: string) => received.filter((entry) => entry.path === path),
    close: () => {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function text(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  return body;
}
