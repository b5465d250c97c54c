import { type ClientRequest, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { AppError } from '../app-error.js';
import { createBodyReader } from './read-body.js';
import { RequestAborted } from './request-aborted.js';
import { type HttpServer, listen } from './server.js';

let server: HttpServer;
beforeEach(async () => {
  const read = createBodyReader({ limitBytes: 200_000, maxHeldBytes: 300_000 });
  const app = async (incoming: IncomingMessage, response: ServerResponse) => {
    const status = await read(incoming, String(incoming.headers['x-owner'])).then(
      () => 200,
      (error) => (error instanceof AppError ? error.status : 400),
    );
    response.writeHead(status).end();
  };
  server = await listen((incoming, response) => void app(incoming, response), {
    host: '127.0.0.1',
    port: 0,
  });
});
afterEach(() => server.close(100));

/** Sends so much of a body of 200,000 bytes and stalls. */
function dawdler(
  bytes: number,
  owner = 'one',
): { answered: Promise<number | undefined>; client: ClientRequest } {
  const client = request(server.url, {
    method: 'POST',
    agent: false,
    headers: { 'Content-Length': 200_000, 'X-Owner': owner },
  });
  const answered = new Promise<number | undefined>((resolve) => {
    client.on('response', (response) => resolve(response.resume().statusCode));
    client.on('error', () => resolve(undefined));
  });
  client.write(Buffer.alloc(bytes));
  return { answered, client };
}

async function post(bytes: number, owner = 'one'): Promise<number> {
  const headers = { 'X-Owner': owner };
  return (await fetch(server.url, { method: 'POST', headers, body: Buffer.alloc(bytes) })).status;
}

test('where unfinished bodies are too much in all, the largest gives way, and small ones are taken', async () => {
  const [large, larger] = [dawdler(120_000), dawdler(199_000)];
  expect(await Promise.race([large.answered, larger.answered])).toBe(503);
  expect(await post(1_000)).toBe(200);
  // Room is there again: for what came less far, and for what comes now.
  expect(await post(100_000)).toBe(200);
  for (const { client } of [large, larger]) client.destroy();
});

test('who holds most gives way, and nobody to whom another leaves no room', async () => {
  const many = Array.from({ length: 5 }, () => dawdler(40_000));
  expect(await post(100_000, 'another')).toBe(200);
  const statuses = await Promise.race(many.map(({ answered }) => answered));
  expect(statuses).toBe(503);
  for (const { client } of many) client.destroy();
});

test('a request whose client went away before it was read is told so at once', async () => {
  const read = createBodyReader({ limitBytes: 200_000 });
  const gone = { headers: {}, destroyed: true } as IncomingMessage;
  await expect(read(gone, 'one')).rejects.toThrow(RequestAborted);
});

test('what was finished or given up holds nothing', async () => {
  for (let count = 0; count < 10; count += 1) {
    const { client, answered } = dawdler(190_000);
    if (count % 2 === 0) client.destroy();
    else client.end(Buffer.alloc(10_000));
    expect(await answered).toBe(count % 2 === 0 ? undefined : 200);
  }
});
