import type { EngineAuth } from '../src/app.js';
import { adminKey, createKey, tokenOf, useEngine } from './support/engine.js';

// Each operation of the OpenAPI document is called with each kind of credential, so that every new route is tested.

/**
 * Operations that need no credential (`open`) or any valid credential (`anyCredential`). All other operations manage
 * keys.
 */
const open = ['get /livez', 'get /readyz'];
const anyCredential = ['get', 'post', 'put', 'patch', 'delete'].map((method) => `${method} /auth/verify`);

interface Operation {
  name: string;
  method: string;
  path: string;
}

const service = useEngine({ MAX_API_KEYS: '10000' });
let engine: EngineAuth;
let operations: Operation[];
let credentials: Record<string, string>;

beforeAll(async () => {
  ({ engine } = service);
  const document = (await (await fetch(`${engine.url}/openapi.json`)).json()) as { paths: object };
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ name: `${method} ${path}`, method: method.toUpperCase(), path })),
  );
  credentials = {
    'a user key': (await createKey(engine)).key,
    'an admin of the engine': await tokenOf('admin'),
    'the admin key': adminKey,
    'only a token without the audience of the engine': await tokenOf('editor'),
    'an invented key': Buffer.from(`${crypto.randomUUID()}:${'x'.repeat(43)}`).toString('base64'),
    'an empty credential': '',
  };
});

async function statusFor({ method, path }: Operation, credential: string | undefined): Promise<number> {
  const { id } = await createKey(engine);
  const response = await fetch(engine.url + path.replace('{id}', id), {
    method,
    headers: {
      ...(credential !== undefined && {
        Authorization: `Bearer ${Buffer.from(credential).toString('latin1')}`,
      }),
      'Content-Type': 'application/json',
    },
    ...(method !== 'GET' && { body: '{"description": "d"}' }),
  });
  return response.status;
}

const kinds: [credential: string, verify: number, manage: number][] = [
  ['a user key', 204, 403],
  ['an admin of the engine', 204, 200],
  ['the admin key', 204, 200],
  ['only a token without the audience of the engine', 401, 401],
  ['an invented key', 401, 401],
  ['an empty credential', 401, 401],
  ['no credential', 401, 401],
];

test.each(kinds)(
  'a caller with %s can call the operations that it is permitted to call, and no others',
  async (kind, verify, manage) => {
    for (const operation of operations) {
      const status = await statusFor(operation, credentials[kind]);
      const wanted = open.includes(operation.name)
        ? 200
        : anyCredential.includes(operation.name)
          ? verify
          : manage;
      const isSuccess = wanted === 200 && status >= 200 && status < 300;
      expect([operation.name, isSuccess ? wanted : status]).toEqual([operation.name, wanted]);
    }
  },
  60_000,
);
