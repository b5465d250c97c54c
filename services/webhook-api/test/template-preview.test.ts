import type { Preview } from '@tocsin/contracts';
import { expectStatuses, useApi, workspaceId } from './support/api.js';

const previewPath = `/api/v1/workspaces/${workspaceId}/webhooks/preview`;

const api = useApi();

const preview = (body: object) => api.call<Preview>('POST', previewPath, { body });

test('a preview renders a template with sample values', async () => {
  const { status, body } = await preview({ body: '{"t": {{ threshold }}, "b": "{{ bound }}"}' });
  expect([status, body.error, body.warnings]).toEqual([200, null, []]);
  expect(JSON.parse(body.rendered ?? '')).toEqual({
    t: expect.any(Number),
    b: expect.stringMatching(/^(upper|lower)_bound$/),
  });
});

test('a preview warns about unknown names and quoted numbers', async () => {
  const { body } = await preview({ body: '{"a": "{{ metric_vlaue }}", "b": "{{ threshold }}"}' });
  expect(body.error).toBeNull();
  expect(body.warnings).toEqual([
    expect.stringContaining('metric_vlaue'),
    expect.stringContaining('threshold'),
  ]);
});

test('a preview reports a template_error or, if the rendered text is not JSON, invalid_json', async () => {
  const broken = (await preview({ body: '{"a": {{ metric_value }' })).body;
  expect(broken).toMatchObject({
    rendered: null,
    error: expect.stringMatching(/^template_error: .*line 1/),
  });
  const notJson = (await preview({ body: '{"a": {{ alert_rule_name }}}' })).body;
  expect(notJson.rendered).toMatch(/^{"a": /);
  expect(notJson.error).toMatch(/^invalid_json: /);
});

test('a preview needs the permission to test', async () => {
  await expectStatuses((as) => api.call('POST', previewPath, { as, body: { body: '{}' } }), {
    reader: 403,
    publisher: 403,
    outsider: 403,
    editor: 200,
    admin: 200,
  });
});

test('a template in a preview cannot run code', async () => {
  for (const body of [
    '{{ constructor.constructor("return process.env")() }}',
    '{{ alert_rule_name.constructor }}',
    '{{ __proto__ }}{{ alert.__proto__ }}',
    '{% for x in range(999999999) %}x{% endfor %}',
  ]) {
    const response = await preview({ body });
    expect(response.status).toBe(200);
    expect(response.body.rendered ?? '').not.toMatch(/function|\[object|TOCSIN|PATH/);
  }
});

test('a preview with an invalid context or a template that is too long is rejected', async () => {
  expect((await preview({ body: 'x'.repeat(65_537) })).status).toBe(422);
  expect((await preview({ body: '{}', context: 'x' })).status).toBe(422);
  expect((await preview({ body: '{}', context: null })).status).toBe(422);
  expect((await preview({})).status).toBe(422);
});
