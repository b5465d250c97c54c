import { toTestResult } from './test-send.js';

const response = { kind: 'response', body: 'body', truncated: false, durationMs: 12.6 } as const;

test('a test with any HTTP response has no error, and is a success up to status 299', () => {
  expect(toTestResult({ ...response, statusCode: 299 })).toEqual({
    error: null,
    response: { status_code: 299, response: 'body' },
    success: true,
    duration_ms: 13,
    likely_cause: null,
  });
  expect(toTestResult({ ...response, statusCode: 300 })).toMatchObject({ error: null, success: false });
});

test.each([
  [308, 'redirects'],
  [404, 'Wrong URL'],
])('the likely cause of a test response with status %i contains "%s"', (statusCode, cause) => {
  expect(toTestResult({ ...response, statusCode }).likely_cause).toContain(cause);
});

test('the error of a test without a response starts with its error code', () => {
  const result = toTestResult({
    kind: 'error',
    code: 'connection_refused',
    error: 'Nothing listens on this port.',
    durationMs: 1,
  });
  expect(result).toEqual({
    error: 'connection_refused: Nothing listens on this port.',
    response: null,
    success: false,
    duration_ms: 1,
    likely_cause: null,
  });
});
