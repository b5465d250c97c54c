import { type ClientRequest, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { until } from '@tocsin/testing';
import { AppError } from '../app-error.js';
import { createBodyCheck } from './body-check.js';
import { createJsonBodyParser, parseJsonBody } from './json-body.js';
import { RequestAborted } from './request-context.js';
import { createSchemaCompiler } from './schema-check.js';
import { type HttpServer, listen } from './server.js';

const check = createBodyCheck({}, createSchemaCompiler());
const options = { check, rejectEmpty: false };
const quarterOfMemory = 16_777_216;

let server: HttpServer;
let requests = 0;
beforeEach(async () => {
  // With this limit for each body, four large bodies can be in progress at the same time, at most one from each sender.
  const parse = createJsonBodyParser({ limitBytes: quarterOfMemory, maxWaitMs: 200 });
  requests = 0;
  const app = async (incoming: IncomingMessage, response: ServerResponse) => {
    requests += 1;
    const status = await parse(incoming, { ...options, owner: String(incoming.headers['x-owner']) }).then(
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

/** Sends the first part of a body of 20,000 bytes and never finishes it. */
async function stalledBody(owner: string) {
  const count = requests;
  const client = send(owner, 20_000);
  client.write(' ');
  await until('the request has arrived', () => requests > count);
  return client;
}

function post(owner: string, bytes: number): Promise<number | undefined> {
  const client = send(owner, bytes);
  client.end(' '.repeat(bytes));
  return new Promise((resolve) => client.on('response', (response) => resolve(response.resume().statusCode)));
}

function send(owner: string, bytes: number): ClientRequest {
  const headers = { 'Content-Length': bytes, 'Content-Type': 'application/json', 'X-Owner': owner };
  return request(server.url, { method: 'POST', agent: false, headers }).on('error', () => {});
}

test('a sender gets 429 for a second large body in progress, and another sender gets 200', async () => {
  const stalled = await stalledBody('one');
  expect(await post('one', 20_000)).toBe(429);
  expect(await post('two', 20_000)).toBe(200);
  stalled.destroy();
});

test('while four large bodies are in progress, a large body gets 503 and a small one 200', async () => {
  const stalled = await Promise.all(['one', 'two', 'three', 'four'].map(stalledBody));
  expect(await post('five', 20_000)).toBe(503);
  expect(await post('five', 10_000)).toBe(200);
  expect(await post('one', 10_000)).toBe(200);
  for (const client of stalled) client.destroy();
});

test('a large body releases its permit when it is complete or its client disconnects', async () => {
  for (let count = 0; count < 3; count += 1) {
    const stalled = await stalledBody('one');
    stalled.destroy();
    expect(await post('one', 20_000)).toBe(200);
  }
});

test('the body of a client that has already disconnected is rejected with RequestAborted', async () => {
  const parse = createJsonBodyParser({ limitBytes: 1_000 });
  const headers = { 'content-length': '10', 'content-type': 'application/json' };
  const closed = { headers, destroyed: true } as unknown as IncomingMessage;
  await expect(parse(closed, { owner: 'one', ...options })).rejects.toThrow(RequestAborted);
});

test.each([
  ['{"a":1,\n  "b":2\n  "c":3}', 'The request body is not valid JSON at line 3, column 3.'],
  ['{"a":1', 'The request body is not valid JSON at line 1, column 7.'],
])('the error for the body %j has the line and column of its fault', (text, detail) => {
  expect(() => parseJsonBody(Buffer.from(text))).toThrow(expect.objectContaining({ detail }));
});

test('the error for a body that is not JSON contains no part of it', () => {
  for (const text of ['[secret]', '{"secret":1]', '["secret', '"in JSON at position 3" secret'])
    expect(() => parseJsonBody(Buffer.from(text))).toThrow(
      expect.objectContaining({ detail: expect.not.stringMatching(/secret/) }),
    );
});

/** Returns the shortest duration of 15 runs, because other work on the machine can only make a run longer. */
function shortestMs(work: () => unknown): number {
  let shortest = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 15; run += 1) {
    const startedAtMs = performance.now();
    work();
    shortest = Math.min(shortest, performance.now() - startedAtMs);
  }
  return shortest;
}

test('parsing and checking a long JSON list takes less than eight times as long as JSON.parse', () => {
  const text = `[${'0,'.repeat(50_000)}0]`;
  const bytes = Buffer.from(text);
  const parseAndCheck = () => check(parseJsonBody(bytes), { listAll: true });
  expect(shortestMs(parseAndCheck) / shortestMs(() => JSON.parse(text))).toBeLessThan(8);
});
