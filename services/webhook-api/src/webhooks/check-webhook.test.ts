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

test('errors of URL, headers and body come first, and at most twenty errors are reported', async () => {
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

test('warnings are listed in the order URL, headers and body', async () => {
  const checks = createWebhookChecks({
    allow: [],
    sender: { resolutionWarning: async (url) => `unresolved ${url}` },
    templates: {
      check: () => ({ problems: [], warnings: ['body: unknown name'], timedOut: false }),
      render: () => ({ rendered: '', error: null }),
    },
  });
  const url = 'https://example.com/';
  const missing = expect.stringMatching(/^headers: Content-Type is missing/);
  expect(await checks.checkSave('w', { url, headers: {}, body: '{}' })).toEqual([
    `url: unresolved ${url}`,
    missing,
    'body: unknown name',
  ]);
  expect(await checks.checkSave('w', { headers: {} })).toEqual([missing]);
  expect(checks.noticeWarnings('w', '{}')).toEqual([]);
  expect(checksWith(false).noticeWarnings('w', '{}')).toEqual([
    'body: a notice does not render: template_error: broken',
  ]);
});

const forbidden = { Host: ['x'] };

test.each<[object, string[]]>([
  [
    { url: 'ftp://example.com/', headers: forbidden, body: 'x'.repeat(65_537) },
    ['/url', '/headers/Host', '/body'],
  ],
  [{ url: 7, headers: forbidden, body: 7 }, ['/headers/Host']],
  [{ url: 'ftp://example.com/', headers: { Host: 'x' } }, ['/url']],
  [{ url: 'ftp://example.com/', headers: { Host: ['x', 7] } }, ['/url']],
  [{ url: 'ftp://example.com/', headers: [['x']] }, ['/url']],
  [{ url: 'ftp://example.com/', headers: null, body: null }, ['/url']],
  [{}, []],
])('only members of the right type in the rejected body of case %# are checked', (body, paths) => {
  const { errorsOfSave, errorsOfTest } = checksWith(false);
  const given = { ...body };
  for (const errors of [errorsOfSave('w', given), errorsOfTest(given)])
    expect(errors.map(({ path }) => path)).toEqual(paths);
});

test('the problems of a template are errors of a saved webhook but not of a destination test', async () => {
  const { checkSave, checkTest, errorsOfSave, errorsOfTest } = createWebhookChecks({
    allow: [],
    sender: { resolutionWarning: async () => undefined },
    templates: {
      check: () => ({ problems: ['line 1: wrong'], warnings: [], timedOut: false }),
      render: () => ({ rendered: '', error: null }),
    },
  });
  const errors = [{ path: '/body', message: 'line 1: wrong' }];
  await expect(checkSave('w', { body: '{' })).rejects.toMatchObject({ errors });
  expect([errorsOfSave('w', { body: '{' }), errorsOfTest({ body: '{' })]).toEqual([errors, []]);
  expect(() => checkTest({ url: 'http://example.com/', headers: {}, body: '{' })).not.toThrow();
  expect(() => checkTest({ url: 'http://example.com/', headers: forbidden, body: '{' })).toThrow(
    expect.objectContaining({ code: 'validation_failed' }),
  );
});
