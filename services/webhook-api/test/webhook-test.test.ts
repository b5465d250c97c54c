import { randomBytes, randomUUID } from 'node:crypto';
import type { TestResult, Webhook } from '@tocsin/contracts';
import { startHttpReceiver } from '@tocsin/testing';
import { expectStatuses, otherWorkspaceId, startApi, type TestApi, workspaceId } from './support/api.js';
import { seedAlert } from './support/history.js';

type SavedTestResult = TestResult & { rendered: string | null };

const testPath = `/api/v1/workspaces/${workspaceId}/webhooks/test`;
const webhooks = `/api/v1/workspaces/${workspaceId}/webhooks`;

let api: TestApi;
let destination: Awaited<ReturnType<typeof startHttpReceiver>>;
beforeAll(async () => {
  [api, destination] = await Promise.all([startApi(), startHttpReceiver()]);
});
afterAll(() => Promise.all([api.close(), destination.close()]));

const freshPath = () => `/${randomUUID()}`;
const sendTest = (body: object) => api.call<TestResult>('POST', testPath, { body });

describe('testing a destination', () => {
  test('a destination test sends body and headers unchanged and returns the response', async () => {
    const path = freshPath();
    const body = ' {{ not rendered }} "\\u0041" é 💥\r\n\t{"a": 1,}';
    const headers = {
      'Content-Type': ['text/weird'],
      'X-Many': ['one', 'two'],
      Authorization: ['Basic eDp5'],
    };
    const response = await sendTest({ url: destination.url(path), headers, body });
    expect(response.status).toBe(200);
    expect(response.body).toEqual({
      error: null,
      response: { status_code: 200, response: 'ok' },
      success: true,
      duration_ms: expect.any(Number),
      likely_cause: null,
    });
    const [received] = destination.at(path);
    expect(received?.bytes.equals(Buffer.from(body))).toBe(true);
    const names = received?.rawHeaders.filter((_, index) => index % 2 === 0);
    expect(names?.map((name) => name.toLowerCase()).sort()).toEqual([
      'authorization',
      'connection',
      'content-length',
      'content-type',
      'host',
      'x-many',
      'x-many',
    ]);
    expect(names).toEqual(expect.arrayContaining(Object.keys(headers)));
    expect(received?.rawHeaders).toEqual(expect.arrayContaining(['one', 'two', 'text/weird', 'Basic eDp5']));
  });

  test('headers and body of a destination test can be missing or empty', async () => {
    const path = freshPath();
    expect((await sendTest({ url: destination.url(path), body: '' })).body.success).toBe(true);
    expect((await sendTest({ url: destination.url(path), headers: {}, body: 'x' })).body.success).toBe(true);
    expect(destination.at(path).map(({ body }) => body.toString())).toEqual(['', 'x']);
  });

  test.each([
    [200, true, null],
    [204, true, null],
    [299, true, null],
    [300, false, expect.stringContaining('redirects are not followed')],
    [302, false, expect.stringContaining('redirects are not followed')],
    [400, false, 'Rendered body is not valid JSON, for example a quoted numeric variable.'],
    [401, false, 'Authorization header missing or wrong.'],
    [403, false, expect.stringContaining('lacks permission')],
    [404, false, 'Wrong URL, or the destination URL has been revoked.'],
    [415, false, expect.stringContaining('Add the header Content-Type')],
    [429, false, expect.stringContaining('limits the rate')],
    [500, false, null],
  ])(
    'a test response with status %i is not an error and has success %s',
    async (statusCode, success, likelyCause) => {
      const path = freshPath();
      destination.respond(path, (_, response) =>
        response.writeHead(statusCode, { Location: '/elsewhere' }).end(),
      );
      const { body } = await sendTest({ url: destination.url(path), body: '{}' });
      expect(body).toMatchObject({
        error: null,
        response: { status_code: statusCode, response: '' },
        success,
        likely_cause: likelyCause,
      });
      expect(destination.at('/elsewhere')).toEqual([]);
    },
  );

  test('a test of an unreachable destination returns an error with its code', async () => {
    const { status, body } = await sendTest({ url: 'http://127.0.0.1:1/', body: '{}' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ response: null, success: false, likely_cause: null });
    expect(body.error).toMatch(/^connection_refused: \S/);
  });

  test('a test of a host name that does not resolve returns dns_failure', async () => {
    const { body } = await sendTest({ url: 'http://no-such-host.invalid/', body: '{}' });
    expect(body.error).toMatch(/^dns_failure: /);
  });

  test('a destination test returns a binary response as text of at most 64 KiB without NUL', async () => {
    const path = freshPath();
    destination.respond(path, (_, response) =>
      response.end(Buffer.concat([Buffer.from('a\0b'), randomBytes(200_000)])),
    );
    const { body } = await sendTest({ url: destination.url(path), body: '{}' });
    expect(body.response?.response).not.toContain('\0');
    expect(Buffer.byteLength(body.response?.response ?? '')).toBeLessThanOrEqual(65_536);
  });

  test.each([
    ['a blocked address', { url: 'http://169.254.169.254/', body: '' }, ['/url']],
    ['no url', { body: '' }, ['/url']],
    ['no body', { url: 'http://127.0.0.1/' }, ['/body']],
    ['a body that is an object', { url: 'http://127.0.0.1/', body: {} }, ['/body']],
    ['a body too long', { url: 'http://127.0.0.1/', body: 'x'.repeat(65_537) }, ['/body']],
    [
      'a smuggled header',
      { url: 'http://127.0.0.1/', body: '', headers: { A: ['b\r\nHost: x'] } },
      ['/headers/A/0'],
    ],
    [
      'a forbidden header',
      { url: 'http://127.0.0.1/', body: '', headers: { 'Proxy-A': [''] } },
      ['/headers/Proxy-A'],
    ],
    ['an unknown field', { url: 'http://127.0.0.1/', body: '', name: 'x' }, ['/name']],
  ])('a destination test with %s is rejected', async (_, body, paths) => {
    const response = await api.call('POST', testPath, { body });
    expect([response.status, response.body.errors?.map(({ path }) => path)]).toEqual([422, paths]);
  });

  test('a destination test needs the permission to test', async () => {
    await expectStatuses((as) => api.call('POST', testPath, { as, body: {} }), {
      reader: 403,
      publisher: 403,
      outsider: 403,
      admin: 422,
    });
  });
});

describe('testing a saved webhook', () => {
  const template = '{"rule": "{{ alert_rule_name }}", "value": {{ metric_value }}, "extra": "{{ extra }}"}';

  async function save(path: string, changes: object = {}): Promise<string> {
    const body = {
      name: 'Saved',
      url: destination.url(path),
      headers: { 'X-A': ['1', '2'] },
      body: template,
    };
    return (await api.call<Webhook>('POST', webhooks, { body: { ...body, ...changes } })).body.id;
  }
  const run = (id: string, body?: object) =>
    api.call<SavedTestResult>('POST', `/api/v1/webhooks/${id}/test`, body === undefined ? {} : { body });

  test('a webhook test renders the template with sample values and returns the body', async () => {
    const path = freshPath();
    const { status, body } = await run(await save(path));
    expect([status, body.error, body.success]).toEqual([200, null, true]);
    const [received] = destination.at(path);
    expect(received?.body).toBe(body.rendered);
    expect(received?.rawHeaders).toEqual(expect.arrayContaining(['X-A', '1', '2']));
    expect(JSON.parse(body.rendered ?? '')).toMatchObject({
      rule: expect.stringMatching(/\S/),
      value: expect.any(Number),
      extra: '',
    });
  });

  test('the context of a webhook test overrides the sample values', async () => {
    const path = freshPath();
    const context = { alert_rule_name: 'He said "no"\n', extra: 'yes' };
    const { body } = await run(await save(path), { context });
    expect(JSON.parse(body.rendered ?? '')).toMatchObject({ rule: 'He said "no"\n', extra: 'yes' });
  });

  test('is_test is true in a webhook test unless the context overrides it', async () => {
    const marked = { body: '{"text": "{{ \'[Test] \' if is_test }}{{ state }} {{ labels.team }}"}' };
    const id = await save(freshPath(), marked);
    expect(JSON.parse((await run(id)).body.rendered ?? '')).toEqual({ text: '[Test] firing risk' });
    const context = { is_test: false, state: 'resolved', labels: { team: 'ops' } };
    expect(JSON.parse((await run(id, { context })).body.rendered ?? '')).toEqual({ text: 'resolved ops' });
  });

  test('a webhook test can use the values of a past alert, and the context overrides them', async () => {
    const path = freshPath();
    const body =
      '{"id": "{{ alert_id }}", "value": {{ metric_value }}, "at": "{{ fired_at }}", "team": "{{ labels.team }}", "test": {{ is_test | tojson }}}';
    const id = await save(path, { body });
    const alertId = await seedAlert(api.database, { labels: { team: 'risk' } });
    const real = { id: alertId, value: 0.5, at: '2025-01-31T12:00:00.123456Z', team: 'risk', test: true };
    await run(id, { alert_id: alertId.toUpperCase() });
    await run(id, { alert_id: alertId, context: { metric_value: 7 } });
    expect(destination.at(path).map((request) => JSON.parse(request.body))).toEqual([
      real,
      { ...real, value: 7 },
    ]);
  });

  test('a webhook test with a past notice has the values of the notice', async () => {
    const path = freshPath();
    const body = '{"event": "{{ event }}", "webhook": "{{ webhook_name }}", "count": {{ count }}}';
    const id = await save(path, { body });
    const alertId = await seedAlert(api.database);
    const notice = {
      event: 'webhook.failing',
      webhook_id: id,
      webhook_name: 'Chat',
      since: '',
      error: '',
      count: 2,
    };
    await api.database
      .knex('alerts')
      .where({ alert_id: alertId })
      .update({ notice: JSON.stringify(notice) });
    await run(id, { alert_id: alertId });
    expect(JSON.parse(destination.at(path)[0]!.body)).toEqual({
      event: 'webhook.failing',
      webhook: 'Chat',
      count: 2,
    });
  });

  test('a test with an alert that is unknown or of another workspace gets 422', async () => {
    const id = await save(freshPath());
    const foreign = await seedAlert(api.database, { workspaceId: otherWorkspaceId });
    for (const alert_id of [foreign, randomUUID(), 'nonsense']) {
      const rejected = await api.call('POST', `/api/v1/webhooks/${id}/test`, { body: { alert_id } });
      expect([rejected.status, rejected.body.errors?.map(({ path }) => path)]).toEqual([422, ['/alert_id']]);
    }
  });

  test('a disabled webhook can be tested', async () => {
    const path = freshPath();
    expect((await run(await save(path, { enabled: false }))).body.success).toBe(true);
  });

  test('a webhook test whose body is not JSON returns an error and sends nothing', async () => {
    const path = freshPath();
    const id = await save(path, { body: '{"n": {% if extra %}nothing{% else %}1{% endif %}}' });
    const { status, body } = await run(id, { context: { extra: true } });
    expect(status).toBe(200);
    expect(body).toMatchObject({ response: null, success: false, rendered: '{"n": nothing}' });
    expect(body.error).toMatch(/^invalid_json: /);
    expect(destination.at(path)).toEqual([]);
  });

  test('a webhook test with an invalid body, an unknown webhook or no permission is rejected', async () => {
    const id = await save(freshPath());
    expect((await run(id, { context: [] })).status).toBe(422);
    expect((await run(id, { body: '{}' })).status).toBe(422);
    expect((await run(randomUUID())).status).toBe(404);
    expect((await api.call('POST', `/api/v1/webhooks/${id}/test`, { as: 'reader' })).status).toBe(403);
    expect((await api.call('POST', `/api/v1/webhooks/${id}/test`, { as: 'outsider' })).status).toBe(403);
  });
});
