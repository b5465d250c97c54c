import { adviceFor, statePaths } from './state.js';

const paths = statePaths('/checkout/.tocsin');

test.each(['EACCES', 'EPERM'])('%s for a file of the state directory leads to advice', (code) => {
  const error = Object.assign(new Error(code), { code, path: '/checkout/.tocsin/secrets.json' });
  expect(adviceFor(error, paths)).toContain('"sudo npm run reset" deletes it.');
});

test.each([
  ['another error', { code: 'ENOSPC', path: '/checkout/.tocsin/secrets.json' }],
  ['a file elsewhere', { code: 'EACCES', path: '/usr/bin/postgres' }],
  ['an error without a path', { code: 'EACCES' }],
])('%s has no advice about the state directory', (_, fields) => {
  expect(adviceFor(Object.assign(new Error(), fields), paths)).toBe('');
});
