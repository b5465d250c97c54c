import { createWebhookChecks } from './check-webhook.js';

const checksWith = (timedOut: boolean) =>
  createWebhookChecks({
    allow: [],
    sender: { resolutionWarning: async () => undefined },
    templates: {
      check: () => ({ problems: [], warnings: ['body: unknown name'], timedOut }),
      render: () => ({ rendered: null, error: 'template_error: broken' }),
    },
  });

test('a template whose check times out gets 503 and no template error', async () => {
  const check = checksWith(true).checkSave('w', { body: '{}' });
  await expect(check).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 });
});

test('all errors of a webhook are reported together', async () => {
  const fields = { url: 'ftp://example.com/', headers: { Host: ['x'] }, body: 'x'.repeat(65_537) };
  await expect(checksWith(false).checkSave('w', fields)).rejects.toMatchObject({
    code: 'validation_failed',
    errors: [{ path: '/url' }, { path: '/headers/Host' }, { path: '/body' }],
  });
});

test('errors of other fields are reported last, and at most twenty errors are reported', async () => {
  const others = Array.from({ length: 20 }, (_, index) => ({ path: `/${index}`, message: 'wrong' }));
  const check = checksWith(false).checkSave('w', { url: 'ftp://example.com/' }, others);
  await expect(check).rejects.toMatchObject({
    errors: [expect.objectContaining({ path: '/url' }), ...others.slice(0, 19)],
  });
});

test('fields that are not in the request are not checked', async () => {
  expect(await checksWith(true).checkSave('w', {})).toEqual([]);
  expect(await checksWith(false).checkSave('w', { body: '{}' })).toEqual(['body: unknown name']);
});
