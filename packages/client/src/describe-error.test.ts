import { describeError } from './describe-error.js';

const withCode = (message: string, code: string) => Object.assign(new Error(message), { code });
const refused = (address: string) => withCode(`connect ECONNREFUSED ${address}`, 'ECONNREFUSED');

test.each<[string, unknown, string]>([
  ['a refused connection', refused('127.0.0.1:9'), 'connect ECONNREFUSED 127.0.0.1:9'],
  [
    'a refused connection to each of two addresses',
    new AggregateError([refused('::1:9'), refused('127.0.0.1:9')]),
    'connect ECONNREFUSED ::1:9 and connect ECONNREFUSED 127.0.0.1:9',
  ],
  [
    'a certificate',
    withCode('self-signed certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT'),
    'self-signed certificate (DEPTH_ZERO_SELF_SIGNED_CERT)',
  ],
  ['a text', 'text', 'text'],
])('describeError returns the innermost reason of %s', (_, reason, text) => {
  expect(describeError(reason)).toBe(text);
  if (typeof reason === 'object')
    expect(describeError(new TypeError('fetch failed', { cause: reason }))).toBe(text);
});
