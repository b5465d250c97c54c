import { rejectionOf } from './rejection.js';

const withCode = (code: unknown, message = 'closed') => Object.assign(new Error(message), { code });

test.each<[string, string | undefined, unknown]>([
  ['the code 403', 'forbidden', withCode(403)],
  ['the code 404', 'undeclared', withCode(404)],
  ['the code 530', 'forbidden', withCode(530)],
  ['the code 406', undefined, withCode(406)],
  ['the code 320', undefined, withCode(320)],
  ['a code of Node.js', undefined, withCode('ECONNREFUSED')],
  ['a code of another kind and the text ACCESS_REFUSED', undefined, withCode(320, 'ACCESS_REFUSED')],
  ['the text ACCESS_REFUSED', 'forbidden', new Error('Handshake: 403 (ACCESS_REFUSED)')],
  ['the text ACCESS-REFUSED', 'forbidden', new Error('403 (ACCESS-REFUSED) with message')],
  ['a longer word', undefined, new Error('NOACCESS_REFUSED')],
  ['another text', undefined, new Error('closed')],
])('rejectionOf returns for an error with %s: %s', (_, kind, error) => {
  expect(rejectionOf(error)).toBe(kind);
});

test('rejectionOf returns undefined for a value that is not an error', () => {
  expect([rejectionOf({ code: 403, message: 'ACCESS_REFUSED' }), rejectionOf(undefined)]).toEqual([
    undefined,
    undefined,
  ]);
});
