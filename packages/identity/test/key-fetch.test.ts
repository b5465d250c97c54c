import type { ServerResponse } from 'node:http';
import { fetchSigningKeys } from '../src/key-source.js';
import { makeKey, type SigningKey, startProvider } from './support/provider.js';

let provider: Awaited<ReturnType<typeof startProvider>>;
let elsewhere: Awaited<ReturnType<typeof startProvider>>;
let key: SigningKey;

beforeAll(async () => {
  key = await makeKey('first');
});
beforeEach(async () => {
  [provider, elsewhere] = [await startProvider(), await startProvider()];
  for (const { state } of [provider, elsewhere]) state.keys = [key.publicJwk];
});
afterEach(() => Promise.all([provider.stop(), elsewhere.stop()]));

const fetchOwn = () => fetchSigningKeys({ issuer: provider.issuer, workspaces: 'all' });
const metadata = () => ({ issuer: provider.issuer, jwks_uri: `${provider.issuer}/jwks` });

/** Replaces the provider's response for the keys or for the metadata. The other document stays valid. */
function respondTo(document: 'keys' | 'metadata', respond: (response: ServerResponse) => void): void {
  provider.state.respond = ({ url }, response) => {
    const asked = url === '/realm/jwks' ? 'keys' : 'metadata';
    if (asked === document) respond(response);
    else response.end(JSON.stringify(asked === 'keys' ? { keys: provider.state.keys } : metadata()));
  };
}

test.each(['keys', 'metadata'] as const)(
  "a redirect of the provider's %s is not followed",
  async (document) => {
    const path = document === 'keys' ? '/jwks' : '/.well-known/openid-configuration';
    elsewhere.state.metadata = metadata();
    for (const status of [301, 302, 303, 307, 308]) {
      respondTo(document, (response) =>
        response.writeHead(status, { Location: `${elsewhere.issuer}${path}` }).end(),
      );
      await expect(fetchOwn()).rejects.toThrow();
    }
    expect(elsewhere.state.fetches).toBe(0);
  },
);

test('a jwks_uri with http is rejected if the URL of the issuer has https', async () => {
  // The test provider has no certificate. Its issuer is an https URL, and `fetch` is replaced to send the requests over
  // http.
  const secure = provider.issuer.replace('http:', 'https:');
  const realFetch = globalThis.fetch;
  const asked: string[] = [];
  globalThis.fetch = (url, init) => {
    asked.push(String(url));
    return realFetch(String(url).replace('https:', 'http:'), init);
  };
  try {
    const fetchSecure = (jwks_uri: string) => {
      provider.state.metadata = { issuer: secure, jwks_uri };
      return fetchSigningKeys({ issuer: secure, workspaces: 'all' });
    };
    await expect(fetchSecure(`${secure}/jwks`)).resolves.toBeDefined();
    await expect(fetchSecure(`${provider.issuer}/jwks`)).rejects.toThrow('has no usable jwks_uri');
    expect(asked).not.toContain(`${provider.issuer}/jwks`);
  } finally {
    globalThis.fetch = realFetch;
  }
});

test.each(['keys', 'metadata'] as const)("at most 1 MiB of the provider's %s is read", async (document) => {
  const content = JSON.stringify(document === 'keys' ? { keys: provider.state.keys } : metadata());
  respondTo(document, (response) => response.end(content.padEnd(1_048_576)));
  await expect(fetchOwn()).resolves.toBeDefined();
  respondTo(document, (response) => response.end(content.padEnd(1_048_577)));
  await expect(fetchOwn()).rejects.toThrow('exceeds 1048576 bytes');
});

test.each(['keys', 'metadata'] as const)(
  'a response with the %s of the provider is rejected if its status is not 2xx',
  async (document) => {
    const content = JSON.stringify(document === 'keys' ? { keys: provider.state.keys } : metadata());
    for (const status of [203, 404, 500]) {
      respondTo(document, (response) => response.writeHead(status).end(content));
      if (status === 203) await expect(fetchOwn()).resolves.toBeDefined();
      else await expect(fetchOwn()).rejects.toThrow(`responded with status ${status}`);
    }
  },
);

test('a fetch from a provider that does not respond fails after 3 s', async () => {
  const open: ServerResponse[] = [];
  respondTo('keys', (response) => void open.push(response));
  const startedAtMs = performance.now();
  await expect(fetchOwn()).rejects.toThrow();
  expect(performance.now() - startedAtMs).toBeGreaterThan(2_900);
  for (const response of open) response.destroy();
});

test.each(['null', '[]', '"keys"', '{}', '{"keys": []}', '{"keys": {}}', 'keys', ''])(
  'the key document %j is rejected',
  async (content) => {
    respondTo('keys', (response) => response.end(content));
    await expect(fetchOwn()).rejects.toThrow();
  },
);

test.each([undefined, 7, '', '/jwks', 'jwks'])('the jwks_uri %j is rejected', async (jwks_uri) => {
  provider.state.metadata = { jwks_uri };
  await expect(fetchOwn()).rejects.toThrow('has no usable jwks_uri');
});
