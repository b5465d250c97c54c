import {
  ApiError,
  ConflictError,
  ConnectionError,
  createEngineClient,
  createPlatformClient,
  ForbiddenError,
  InvalidRequestError,
  NotFoundError,
  PreconditionFailedError,
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
  test('an idempotent call is retried after 429 and 503, and waits for the time in Retry-After', async () => {
    const { sleeps } = clock;
    sleeps.length = 0;
    const found = { headers: { etag: '"3"' }, body: { id: 'x' } };
    api.script({ status: 429, headers: { 'retry-after': '7' } }, { status: 503 }, found);
    expect(await client().webhooks.get('x')).toEqual({ id: 'x', etag: '"3"' });
    expect(sleeps).toEqual([7_000, 1_000]);
  });

  test('a call that keeps failing ends after four requests with the last error of the server', async () => {
    api.script(
      ...Array.from({ length: 9 }, () => ({ status: 503, body: { code: 'unavailable', detail: 'away' } })),
    );
    const call = client().webhooks.get('x');
    await expect(call).rejects.toMatchObject({ code: 'unavailable', message: 'away' });
    await expect(call).rejects.toBeInstanceOf(UnavailableError);
    expect(api.seen).toHaveLength(4);
  });

  test('a failed call that is not idempotent is not retried', async () => {
    api.script({ status: 503 }, { status: 429 }, { cut: true });
    await expect(client().deliveries.redeliver('d')).rejects.toBeInstanceOf(UnavailableError);
    await expect(client().webhooks.test({ url: '', body: '' })).rejects.toBeInstanceOf(TooManyRequestsError);
    const create = client().webhooks.create({ name: '', url: '', body: '' });
    await expect(create).rejects.toMatchObject({ code: 'connection_failed' });
    expect(api.seen).toHaveLength(3);
  });

  test('a change with ifMatch is not retried, because the first request may have changed the ETag', async () => {
    const { webhooks, alertRules, settings } = client();
    const ifMatch = '"3"';
    api.script({ cut: true }, { status: 503 }, { status: 503 }, { status: 412 }, { cut: true });
    await expect(webhooks.update('x', {}, { ifMatch })).rejects.toBeInstanceOf(ConnectionError);
    await expect(webhooks.delete('x', { ifMatch, force: true })).rejects.toBeInstanceOf(UnavailableError);
    await expect(alertRules.update('x', {}, { ifMatch })).rejects.toBeInstanceOf(UnavailableError);
    await expect(alertRules.delete('x', { ifMatch })).rejects.toBeInstanceOf(PreconditionFailedError);
    await expect(settings.update({}, { ifMatch })).rejects.toBeInstanceOf(ConnectionError);
    expect(api.seen.map(({ headers }) => headers['if-match'])).toEqual(Array(5).fill(ifMatch));
    await webhooks.update('x', {});
    expect(api.seen.at(-1)?.headers).not.toHaveProperty('if-match');
  });

  test('a deletion succeeds if its response was lost and the retry finds nothing', async () => {
    const { webhooks, alertRules } = client();
    api.script({ cut: true }, { status: 404 }, { cut: true }, { status: 503 }, { status: 404 });
    await webhooks.delete('x');
    await alertRules.delete('x');
    await webhooks.signingSecrets.delete('x', 'y');
    expect(api.seen).toHaveLength(6);
    api.script({ status: 503 }, { status: 404 });
    await expect(webhooks.delete('x')).rejects.toBeInstanceOf(NotFoundError);
    // Another server than the API has responded.
    api.script({ cut: true }, { status: 404, headers: { 'content-type': 'text/html' } });
    await expect(webhooks.delete('x')).rejects.toBeInstanceOf(NotFoundError);
  });

  test('the option maxAgeSeconds of a call is sent as max-age in the header Cache-Control', async () => {
    api.script({ status: 200, body: [] }, { status: 200, body: [] });
    await client().deliveries.list({}, { maxAgeSeconds: 2 }).toArray();
    await client().deliveries.list().toArray();
    expect(api.seen.map(({ headers }) => headers['cache-control'])).toEqual(['max-age=2', undefined]);
  });

  test('all retries of a fired alert send the same id', async () => {
    api.script({ status: 503 }, { cut: true });
    await client().alerts.fire(alert);
    const bodies = api.seen.map(({ body }) => body);
    expect(new Set(bodies).size).toBe(1);
    expect(JSON.parse(bodies[0] ?? '')).toMatchObject({
      ...alert,
      alert_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  test('a call with a Retry-After above one minute fails at once, and its error has the delay', async () => {
    api.script({ status: 429, headers: { 'retry-after': '3600' } });
    await expect(client().webhooks.get('x')).rejects.toMatchObject({ retryAfterMs: 3_600_000 });
  });

  test('the wait before a retry can be aborted', async () => {
    api.script({ status: 503, headers: { 'retry-after': '60' } });
    const controller = new AbortController();
    const waiting = createPlatformClient({
      url: api.url,
      credential: 'k',
      clock: createManualClock({ whileSleeping: () => controller.abort(new Error('enough')) }),
    });
    await expect(waiting.webhooks.get('x', { signal: controller.signal })).rejects.toThrow('enough');
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

  test('after a 401 a call is sent once more with another token, even if it is not idempotent', async () => {
    const { session } = createSession();
    api.script({ status: 401 }, { status: 202 });
    await client({ credential: session }).deliveries.redeliver('d');
    expect(api.seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer t1', 'Bearer t2']);
  });

  test('a call that gets 401 twice fails with UnauthenticatedError', async () => {
    const { session } = createSession();
    api.script({ status: 401 }, { status: 401, body: { code: 'unauthenticated', detail: 'wrong audience' } });
    const call = client({ credential: session }).whoami();
    await expect(call).rejects.toBeInstanceOf(UnauthenticatedError);
    expect(api.seen).toHaveLength(2);
  });

  test('a call with a fixed credential is not retried after a 401', async () => {
    api.script({ status: 401 });
    await expect(client().whoami()).rejects.toBeInstanceOf(UnauthenticatedError);
    expect(api.seen).toHaveLength(1);
  });

  test('the engine client uses SERVICE_API_KEY by default', async () => {
    process.env.SERVICE_API_KEY = 'from-the-environment';
    await createEngineClient({ url: api.url }).keys.list();
    delete process.env.SERVICE_API_KEY;
    expect(api.seen[0]?.headers.authorization).toBe('Bearer from-the-environment');
    expect(() => createEngineClient({ url: api.url })).toThrow('SERVICE_API_KEY');
  });

  test.each(['line\nbreak', 'nul\0', 'return\r'])(
    'the error for a credential with a control character does not contain the credential',
    async (credential) => {
      const error = await client({ credential })
        .whoami()
        .catch((error: unknown) => error);
      expect(String(error)).toBe('TypeError: The credential contains a control character.');
      expect(api.seen).toHaveLength(0);
    },
  );

  test('a redirect is not followed, so that no other origin gets the token', async () => {
    const elsewhere = await startScriptedApi();
    api.script(...Array.from({ length: 4 }, () => ({ status: 307, headers: { location: elsewhere.url } })));
    await expect(client().whoami()).rejects.toBeInstanceOf(ConnectionError);
    expect(elsewhere.seen).toHaveLength(0);
    await elsewhere.close();
  });
});

describe('lists', () => {
  const next = (url: string) => ({ headers: { link: `<${url}>; rel="next"` } });

  test('requests for later pages of a list keep the filters and go to the configured origin', async () => {
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

  test('a loop over a list that ends early requests no further page', async () => {
    api.script({ body: [1, 2], ...next('/x?cursor=c') });
    for await (const item of client().webhooks.list()) if (Number(item) === 1) break;
    expect(api.seen).toHaveLength(1);
  });

  test.each(['', 'garbage', '<>; rel="next"', '</x?cursor=a>; rel="prev"', '</x?limit=2>; rel=next'])(
    'a list ends after a page whose Link header names no usable next page (%j)',
    async (link) => {
      api.script({ body: [1], headers: { link } });
      expect(await client().webhooks.list().toArray()).toEqual([1]);
    },
  );
});

test.each(['{}', 'null', '"text"', ''])(
  'the body %j of a list response causes the error invalid_response',
  async (body) => {
    api.script({ body });
    await expect(client().webhooks.list().toArray()).rejects.toMatchObject({ code: 'invalid_response' });
  },
);

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
  ])(
    'status %d causes an error of its class with the members of the problem document',
    async (status, ErrorClass) => {
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
    },
  );

  test.each(['<html>Bad gateway</html>', '{"code":', 'null', '[]', '"text"', ''])(
    'the error for a response without a problem document (%j) contains the response status',
    async (body) => {
      api.script({ status: 502, body });
      await expect(client().whoami()).rejects.toMatchObject({ status: 502, code: 'http_error', errors: [] });
    },
  );

  test('an HTML page instead of JSON causes the error invalid_response', async () => {
    api.script({ body: '<html>login</html>' });
    await expect(client().whoami()).rejects.toMatchObject({ code: 'invalid_response' });
  });

  test('the error for an unreachable server names the server and not the credential', async () => {
    const nobody = createPlatformClient({ url: 'http://127.0.0.1:9', credential: 's3cret', clock });
    const error = await nobody.whoami().catch((error: unknown) => error);
    expect(error).toMatchObject({
      code: 'connection_failed',
      message: expect.stringContaining('127.0.0.1:9'),
    });
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('s3cret');
  });

  test('a server that does not respond causes a timeout error', async () => {
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
    'creating a client with the address %j fails',
    (url) => {
      expect(() => createPlatformClient({ url, credential: 'k' })).toThrow(TypeError);
    },
  );

  test('a call for a workspace requires the option workspaceId or inWorkspace', () => {
    const homeless = createPlatformClient({ url: api.url, credential: 'k' });
    expect(() => homeless.webhooks.list()).toThrow('workspaceId');
    expect(() => homeless.inWorkspace('w').webhooks.list()).not.toThrow();
  });
});
