import { AppError } from '../app-error.js';
import { toProblem } from './problem.js';

test('the problem document of an error contains its code, its status and the request id', () => {
  const errors = [{ path: '/a', message: 'is required' }];
  expect(toProblem(new AppError('validation_failed', 'Wrong.', { errors }), 'r')).toEqual({
    status: 422,
    headers: { 'Content-Type': 'application/problem+json' },
    body: {
      type: 'about:blank',
      title: 'Unprocessable Entity',
      status: 422,
      code: 'validation_failed',
      detail: 'Wrong.',
      errors,
      request_id: 'r',
    },
  });
});

test('extra members of an error cannot replace the members of the problem document', () => {
  const extra = { etag: '"1"', status: 200, type: 'x', request_id: 'x' };
  const { body } = toProblem(new AppError('conflict', 'Wrong.', { extra }), 'r');
  expect(body).toEqual({
    etag: '"1"',
    type: 'about:blank',
    title: 'Conflict',
    status: 409,
    code: 'conflict',
    detail: 'Wrong.',
    request_id: 'r',
  });
});

test.each([
  [new AppError('unauthenticated', ''), { 'WWW-Authenticate': 'Bearer' }],
  [
    new AppError('unauthenticated', '', { headers: { 'WWW-Authenticate': 'Bearer error="x"' } }),
    { 'WWW-Authenticate': 'Bearer error="x"' },
  ],
  [new AppError('unavailable', '', { retryAfterSeconds: 0 }), { 'Retry-After': '0' }],
  [new AppError('forbidden', ''), {}],
])('the response to an error has the headers of its code and options (case %#)', (error, headers) => {
  expect(toProblem(error, 'r').headers).toEqual({ 'Content-Type': 'application/problem+json', ...headers });
});

test('a URIError becomes a 400, and an unexpected error a 500 without its message', () => {
  expect(toProblem(new URIError('secret'), 'r').body).toMatchObject({ code: 'invalid_request', status: 400 });
  for (const error of [new Error('secret'), 'secret', undefined]) {
    const { body } = toProblem(error, 'r');
    expect(body).toMatchObject({ code: 'internal_error', detail: 'Something went wrong on our side.' });
  }
});
