import { toTestResult } from './probe.js';

const response = { kind: 'response', body: 'body', truncated: false, durationMs: 12.6 } as const;

test('any HTTP answer is no error; above 299 it is no success', () => {
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
  [400, 'not valid JSON'],
  [401, 'Authorization header'],
  [403, 'lacks permission'],
  [404, 'Wrong URL'],
])('an answer of %i comes with its likely cause', (statusCode, cause) => {
  expect(toTestResult({ ...response, statusCode }).likely_cause).toContain(cause);
});

test('without an answer there is an error that begins with its code', () => {
  const result = toTestResult({
    kind: 'error',
    code: 'connection_refused',
    error: 'Nobody listens there.',
    durationMs: 1,
  });
  expect(result).toEqual({
    error: 'connection_refused: Nobody listens there.',
    response: null,
    success: false,
    duration_ms: 1,
    likely_cause: null,
  });
});
