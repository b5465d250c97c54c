import { cli } from './support/cli.js';
import { type ScriptedApi, startScriptedApi } from './support/scripted-api.js';

// A text with control characters. Every text in the responses of the simulated API is this text.

const hostile =
  'a\u0000\u0007\b\r\u001b[31m\u001b]0;owned\u0007\u007f\u0085\u009b31m\u00ad\u061c\u200e\u202e\u2066\u2028\ufeff\u{e0041}z';
/** Characters that move the cursor, start an escape sequence or change the writing direction. */
const unsafe = /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/u;

let api: ScriptedApi;
beforeAll(async () => {
  api = await startScriptedApi();
});
afterAll(() => api.close());

const env = () => ({
  TOCSIN_API_URL: api.url,
  TOCSIN_ENGINE_URL: api.url,
  TOCSIN_TOKEN: 't',
  TOCSIN_WORKSPACE: hostile,
  SERVICE_API_KEY: 'k',
  TOCSIN_LOGIN_FILE: '/nonexistent/login.json',
});

/** Returns an object with the given members, each with the hostile text as its value. */
const members = (...names: string[]) => Object.fromEntries(names.map((name) => [name, hostile]));
const attempt = {
  ...members('number', 'trigger', 'started_at', 'duration_ms', 'request_body', 'error'),
  response: { status_code: hostile, response: hostile, truncated: true },
};
const delivery = {
  ...members(
    'id',
    'created_at',
    'status',
    'attempts_made',
    'webhook_name',
    'destination',
    'error_code',
    'error',
  ),
  response: null,
  attempts: [attempt],
};
const webhook = {
  ...members('id', 'name', 'url', 'body', 'created_at', 'updated_at', 'last_updated_by', 'retry_on_timeout'),
  enabled: true,
  headers: { [hostile]: [hostile] },
  paused: { reason: 'circuit', ...members('since', 'until', 'error') },
  health: {
    state: 'failing',
    ...members('since'),
    last_error: members('code', 'error', 'at'),
    success_rate_24h: 0.5,
  },
  warnings: [hostile],
};
const rule = {
  ...members('id', 'name', 'model_id', 'threshold', 'bound', 'created_at', 'updated_at'),
  enabled: true,
  notification_webhook_ids: [hostile],
};
const alert = members(
  'alert_id',
  'fired_at',
  'alert_rule_name',
  'model_name',
  'metric_value',
  'bound',
  'outcome',
);
const result = {
  success: true,
  response: { status_code: 200, response: hostile },
  error: hostile,
  rendered: hostile,
};

test.each<[string, unknown, string?]>([
  ['webhooks list', [webhook]],
  ['webhooks get x', webhook],
  ['webhooks update x --name y', webhook],
  ['webhooks test x', result],
  ['webhooks preview -', { rendered: hostile, error: null, warnings: [hostile] }],
  ['rules list', [rule]],
  ['rules get x', rule],
  ['alerts list', [alert]],
  ['alerts get x', alert],
  ['alerts fire -', undefined, JSON.stringify({ alert_rule_id: 'x', alert_id: hostile })],
  ['deliveries list', [delivery]],
  ['deliveries get x', delivery],
  ['deliveries redeliver x', delivery],
  ['deliveries redeliver --webhook x', { id: hostile, status: 'done', matched: hostile, done: hostile }],
  ['dead-letters list', [members('id', 'created_at', 'reason', 'detail', 'queue', 'size_bytes')]],
  ['dead-letters requeue x', members('id', 'queue')],
  [
    'audit list',
    [
      {
        ...members('time', 'action', 'resource_id', 'principal_name', 'principal'),
        changed_fields: [hostile],
      },
    ],
  ],
  ['keys create x', members('id', 'key', 'message')],
  ['keys list', [members('id', 'description', 'created_at', 'created_by')]],
  [
    'whoami',
    {
      ...members('display', 'subject', 'issuer'),
      deployment_roles: [hostile],
      workspaces: { [hostile]: [hostile] },
    },
  ],
])('the command %s prints no control characters of a response', async (words, body, stdin = '{}') => {
  for (const flags of [[], ['--json']]) {
    for (const columns of [undefined, 200]) {
      if (body !== undefined) api.script({ body });
      const line = [...words.trim().split(' '), ...flags, '--no-color'];
      const { stdout, stderr } = await cli(line, { env: env(), stdin, ...(columns && { columns }) });
      const printed = `${stdout}${stderr}`.replaceAll('\r\u001b[K', '');
      expect(printed).not.toMatch(unsafe);
      expect(stdout).toContain('\\u009b');
      if (flags.length > 0 && columns === undefined) expect(JSON.parse(stdout)).toEqual(expect.anything());
    }
  }
});

test('with --json, a command prints JSON with the values of the API response', async () => {
  api.script({ body: webhook, headers: { etag: '"1"' } });
  const { stdout } = await cli(['webhooks', 'get', 'x', '--json'], { env: env() });
  expect(JSON.parse(stdout)).toEqual({ ...webhook, etag: '"1"' });
});

test('error messages contain no control characters of a response', async () => {
  const problem = {
    code: hostile,
    detail: hostile,
    errors: [{ path: hostile, message: hostile }],
    request_id: hostile,
  };
  api.script({ status: 422, body: problem });
  const { stderr } = await cli(['webhooks', 'get', 'x'], { env: env(), columns: 200 });
  expect(stderr).toContain('\\u009b');
  expect(stderr).not.toMatch(unsafe);
});
