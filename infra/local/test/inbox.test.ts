import { connect } from 'node:net';
import type { ReceivedRequest } from '../src/inbox/request-log.js';
import { type RunningInbox, startInbox } from '../src/inbox/start-inbox.js';

describe('the inbox', () => {
  let inbox: RunningInbox;
  beforeAll(async () => {
    inbox = await startInbox({ port: 0, capacity: 3 });
  });
  beforeEach(() => inbox.clear());
  afterAll(() => inbox.close());

  test('the inbox stores header lines and body exactly as received', async () => {
    const body = Buffer.from([0x7b, 0xff, 0x00, 0x7d]);
    await sendRaw(
      inbox,
      Buffer.concat([
        Buffer.from(
          'POST /hook HTTP/1.1\r\nHost: x\r\nX-Twice: one\r\nx-tWICE: two\r\nContent-Length: 4\r\n\r\n',
        ),
        body,
      ]),
    );
    const [received] = (await (await fetch(`${inbox.url}/requests`)).json()) as ReceivedRequest[];
    expect(received).toMatchObject({
      method: 'POST',
      url: '/hook',
      responseStatus: 200,
      bodyBase64: body.toString('base64'),
    });
    expect(received?.headers).toEqual([
      ['Host', 'x'],
      ['X-Twice', 'one'],
      ['x-tWICE', 'two'],
      ['Content-Length', '4'],
    ]);
  });

  test('the inbox keeps the newest requests and drops the oldest', async () => {
    for (const path of ['/1', '/2', '/3', '/4']) await fetch(inbox.url + path, { method: 'POST' });
    expect(inbox.received().map(({ url }) => url)).toEqual(['/4', '/3', '/2']);
  });

  test('the inbox responds with the failure that the path of a request names', async () => {
    const refused = await fetch(`${inbox.url}/retry-after/7/status/429`, { method: 'POST' });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '7']);
    await expect(fetch(`${inbox.url}/hang-up`, { method: 'POST' })).rejects.toThrow();
    expect(inbox.received().map(({ responseStatus }) => responseStatus)).toEqual([0, 429]);
  });

  test.each([
    ['a name that resolves to loopback', 'evil.example:8703', undefined],
    ['a name that begins like loopback', '127.0.0.1.evil.example', undefined],
    ['no name', '', undefined],
    ['a page of another site', undefined, 'https://evil.example'],
    ['a sandboxed page', undefined, 'null'],
  ])('the inbox does not show or delete requests for %s', async (_, host, origin) => {
    await fetch(`${inbox.url}/kept`, { method: 'POST' });
    const { host: own } = new URL(inbox.url);
    for (const line of ['GET / ', 'GET /requests', 'DELETE /requests']) {
      const header = `Host: ${host ?? own}\r\n${origin === undefined ? '' : `Origin: ${origin}\r\n`}`;
      const response = await sendRaw(inbox, Buffer.from(`${line.trim()} HTTP/1.1\r\n${header}\r\n`));
      expect(response).toMatch(/^HTTP\/1\.1 403 /);
      expect(response).not.toContain('kept');
    }
    expect(inbox.received()).toHaveLength(1);
  });

  test.each(['localhost', '127.0.0.1', '[::1]'])(
    'the requests of the inbox can be read under the host name %s',
    async (name) => {
      const { port } = new URL(inbox.url);
      const request = `GET /requests HTTP/1.1\r\nHost: ${name}:${port}\r\nOrigin: http://${name}:${port}\r\n\r\n`;
      expect(await sendRaw(inbox, Buffer.from(request))).toMatch(/^HTTP\/1\.1 200 /);
    },
  );

  test('the page of the inbox shows requests as text, not as markup', async () => {
    await fetch(`${inbox.url}/<b>`, { method: 'POST', body: '<script>alert(1)</script>' });
    const page = await (await fetch(inbox.url)).text();
    expect(page).not.toContain('<script>');
    expect(page).toContain('&lt;script&gt;alert(1)');
  });
});

/** Sends raw bytes and returns the start of the response. */
function sendRaw({ url }: RunningInbox, bytes: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(bytes));
    socket.once('error', reject);
    socket.once('data', (chunk) => {
      socket.destroy();
      resolve(chunk.toString());
    });
  });
}
