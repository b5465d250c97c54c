import {
  ApiError,
  ConflictError,
  ConnectionError,
  createEngineClient,
  createPlatformClient,
  ForbiddenError,
  InvalidRequestError,
  NotFoundError,
  type Session,
  TooManyRequestsError,
  UnauthenticatedError,
  UnavailableError,
} from '../src/index.js';
import { createManualClock } from './support/manual-clock.js';
import { type ScriptedApi, startScriptedApi } from './support/scripted-api.js';

let api: ScriptedApi;
beforeEach(async () => {
  api = await startScriptedApi();
});
afterEach(() => api.close());

const clock = createManualClock();
const client = (options: { credential?: Session | string; timeoutMs?: number } = {}) =>
  createPlatformClient({
    url: `${api.url}/`,
    credential: 'key',
    workspaceId: 'w',
    clock,
    random: () => 1,
    ...options,
  });
const alert = { alert_rule_id: 'r', model_id: 'm', model_name: 'n', metric_value: 1 };

describe('retries', () => {
  test('an idempotent call is sent again after 429 and 503, as late as the server asks', async () => {
    const { sleeps } = clock;
    sleeps.length = 0;
    api.script({ status: 429, headers: { 'retry-after': '7' } }, { status: 503 }, { body: { id: 'x' } });
    expect(await client().webhooks.get('x')).toEqual({ id: 'x' });
    expect(sleeps).toEqual([7_000, 1_000]);
  });

  test('they end after four tries, with what the server said last', async () => {
    api.script(
      ...Array.from({ length: 9 }, () => ({ status: 503, body: { code: 'unavailable', detail: 'away' } })),
    );
    const call = client().webhooks.get('x');
    await expect(call).rejects.toMatchObject({ code: 'unavailable', message: 'away' });
    await expect(call).rejects.toBeInstanceOf(UnavailableError);
    expect(api.seen).toHaveLength(4);
  });

  test('what is not idempotent is sent once', async () => {
    api.script({ status: 503 }, { status: 429 }, { cut: true });
    await expect(client().deliveries.redeliver('d')).rejects.toBeInstanceOf(UnavailableError);
    await expect(client().webhooks.test({ url: '', body: '' })).rejects.toBeInstanceOf(TooManyRequestsError);
    const create = client().webhooks.create({ name: '', url: '', body: '' });
    await expect(create).rejects.toMatchObject({ code: 'connection_failed' });
    expect(api.seen).toHaveLength(3);
  });

  test('a fired alert keeps its id over every try', async () => {
    api.script({ status: 503 }, { cut: true }, { status: 202, body: { alert_id: 'a' } });
    await client().alerts.fire(alert);
    const bodies = api.seen.map(({ body }) => body);
    expect(new Set(bodies).size).toBe(1);
    expect(JSON.parse(bodies[0] ?? '')).toMatchObject({
      ...alert,
      alert_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  test('a server that asks for more than a minute is told on', async () => {
    api.script({ status: 429, headers: { 'retry-after': '3600' } });
    await expect(client().webhooks.get('x')).rejects.toMatchObject({ retryAfterMs: 3_600_000 });
  });

  test('waiting for the next try can be given up', async () => {
    api.script({ status: 503, headers: { 'retry-after': '60' } });
    const controller = new AbortController();
    const patient = createPlatformClient({
      url: api.url,
      credential: 'k',
      clock: createManualClock({ whileSleeping: () => controller.abort(new Error('enough')) }),
    });
    await expect(patient.webhooks.get('x', { signal: controller.signal })).rejects.toThrow('enough');
    expect(api.seen).toHaveLength(1);
  });
});

describe('credentials', () => {
  function createSession() {
    const rejected: (string | undefined)[] = [];
    let current = 1;
    const session: Session = {
      async token(request = {}) {
        rejected.push(request.rejected);
        if (request.rejected === `t${current}`) current += 1;
        return `t${current}`;
      },
    };
    return { session, rejected };
  }

  test('a token that is refused is replaced once, also for a call that is not idempotent', async () => {
    const { session } = createSession();
    api.script({ status: 401 }, { status: 202 });
    await client({ credential: session }).deliveries.redeliver('d');
    expect(api.seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer t1', 'Bearer t2']);
  });

  test('a second refusal is the answer', async () => {
    const { session } = createSession();
    api.script({ status: 401 }, { status: 401, body: { code: 'unauthenticated', detail: 'wrong audience' } });
    const call = client({ credential: session }).whoami();
    await expect(call).rejects.toBeInstanceOf(UnauthenticatedError);
    expect(api.seen).toHaveLength(2);
  });

  test('a fixed key that is refused is not sent again', async () => {
    api.script({ status: 401 });
    await expect(client().whoami()).rejects.toBeInstanceOf(UnauthenticatedError);
    expect(api.seen).toHaveLength(1);
  });

  test('the engine’s key is SERVICE_API_KEY where none is given', async () => {
    process.env.SERVICE_API_KEY = 'from-the-environment';
    await createEngineClient({ url: api.url }).keys.list();
    delete process.env.SERVICE_API_KEY;
    expect(api.seen[0]?.headers.authorization).toBe('Bearer from-the-environment');
    expect(() => createEngineClient({ url: api.url })).toThrow('SERVICE_API_KEY');
  });

  test.each(['line\nbreak', 'nul\0', 'return\r'])(
    'a credential with a control character is refused unquoted',
    async (credential) => {
      const error = await client({ credential })
        .whoami()
        .catch((error: unknown) => error);
      expect(String(error)).toBe('TypeError: The credential holds a control character.');
      expect(api.seen).toHaveLength(0);
    },
  );

  test('a redirect is not followed: the token stays with the origin', async () => {
    const elsewhere = await startScriptedApi();
    api.script(...Array.from({ length: 4 }, () => ({ status: 307, headers: { location: elsewhere.url } })));
    await expect(client().whoami()).rejects.toBeInstanceOf(ConnectionError);
    expect(elsewhere.seen).toHaveLength(0);
    await elsewhere.close();
  });
});

describe('lists', () => {
  const next = (url: string) => ({ headers: { link: `<${url}>; rel="next"` } });

  test('are fetched page by page as they are read, filters kept, tokens never sent where a link says', async () => {
    api.script(
      { body: [1, 2], ...next('https://evil.example/other?cursor=c%2B1&limit=9') },
      { body: [], ...next('/x?cursor=c2') },
      { body: [3] },
    );
    expect(await client().deliveries.list({ status: 'failed', webhook_id: undefined }).toArray()).toEqual([
      1, 2, 3,
    ]);
    const base = '/api/v1/workspaces/w/deliveries?status=failed';
    expect(api.seen.map(({ url }) => url)).toEqual([base, `${base}&cursor=c%2B1`, `${base}&cursor=c2`]);
  });

  test('who stops reading stops fetching', async () => {
    api.script({ body: [1, 2], ...next('/x?cursor=c') });
    for await (const item of client().webhooks.list()) if (Number(item) === 1) break;
    expect(api.seen).toHaveLength(1);
  });

  test.each(['', 'garbage', '<>; rel="next"', '</x?cursor=a>; rel="prev"', '</x?limit=2>; rel=next'])(
    'end where the link is %j',
    async (link) => {
      api.script({ body: [1], headers: { link } });
      expect(await client().webhooks.list().toArray()).toEqual([1]);
    },
  );
});

test.each(['{}', 'null', '"text"', ''])('%j is no list, and is said to be none', async (body) => {
  api.script({ body });
  await expect(client().webhooks.list().toArray()).rejects.toMatchObject({ code: 'invalid_response' });
});

describe('errors', () => {
  test.each([
    [400, InvalidRequestError],
    [401, UnauthenticatedError],
    [403, ForbiddenError],
    [404, NotFoundError],
    [409, ConflictError],
    [413, InvalidRequestError],
    [422, InvalidRequestError],
    [500, ApiError],
  ])('%d has its class, with what the problem says', async (status, ErrorClass) => {
    const errors = [{ path: '/url', message: 'is bad' }];
    api.script({
      status,
      body: { code: 'some_code', detail: 'A sentence.', errors, request_id: 'r1', rules: [7] },
    });
    const error = await client()
      .whoami()
      .catch((error: unknown) => error);
    expect(error).toBeInstanceOf(ErrorClass);
    expect(error).toMatchObject({
      status,
      code: 'some_code',
      message: 'A sentence.',
      errors,
      requestId: 'r1',
    });
    expect((error as ApiError).problem.rules).toEqual([7]);
  });

  test.each(['<html>Bad gateway</html>', '{"code":', 'null', '[]', '"text"', ''])(
    'an answer that is no problem document (%j) is told by its status',
    async (body) => {
      api.script({ status: 502, body });
      await expect(client().whoami()).rejects.toMatchObject({ status: 502, code: 'http_error', errors: [] });
    },
  );

  test('a page instead of JSON is said to be one', async () => {
    api.script({ body: '<html>login</html>' });
    await expect(client().whoami()).rejects.toMatchObject({ code: 'invalid_response' });
  });

  test('a server that is not there is named, and the credential is not', async () => {
    const nobody = createPlatformClient({ url: 'http://127.0.0.1:9', credential: 's3cret', clock });
    const error = await nobody.whoami().catch((error: unknown) => error);
    expect(error).toMatchObject({
      code: 'connection_failed',
      message: expect.stringContaining('127.0.0.1:9'),
    });
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('s3cret');
  });

  test('a server that does not answer is a time-out', async () => {
    api.script(...Array.from({ length: 4 }, () => ({ hang: true })));
    await expect(client({ timeoutMs: 20 }).whoami()).rejects.toMatchObject({ code: 'timeout' });
  });

  test('a call in flight can be aborted', async () => {
    api.script({ hang: true });
    const controller = new AbortController();
    const call = client().whoami({ signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
  });

  test.each(['', 'nonsense', 'ftp://x', 'http://user:pass@x', 'http://x/?a=1', 'javascript:alert(1)'])(
    'the address %j is refused at once',
    (url) => {
      expect(() => createPlatformClient({ url, credential: 'k' })).toThrow(TypeError);
    },
  );

  test('a call that acts in a workspace needs one', () => {
    const homeless = createPlatformClient({ url: api.url, credential: 'k' });
    expect(() => homeless.webhooks.list()).toThrow('workspaceId');
    expect(() => homeless.inWorkspace('w').webhooks.list()).not.toThrow();
  });
});
