import { joinErrors } from './route-middleware.js';

const errorsAt = (...paths: string[]) => paths.map((path) => ({ path, message: 'wrong' }));
const pathsOf = (first: string[], further: string[]) =>
  joinErrors(errorsAt(...first), errorsAt(...further)).map(({ path }) => path);

test.each<[string[], string[], string[]]>([
  [['/a'], ['/b'], ['/a', '/b']],
  [['/a'], ['/a'], ['/a']],
  [['/a'], ['/a/0'], ['/a']],
  [['/a'], ['/ab'], ['/a', '/ab']],
  [['/a/0'], ['/a'], ['/a/0', '/a']],
  [[''], ['/a'], ['', '/a']],
])('the errors %j of a schema and the further errors %j are joined to %j', (first, further, joined) => {
  expect(pathsOf(first, further)).toEqual(joined);
});

test('at most twenty errors of a request are reported, and those of its schema come first', () => {
  const paths = Array.from({ length: 30 }, (_, index) => `/${index}`);
  expect(pathsOf(paths.slice(0, 15), paths.slice(15))).toEqual(paths.slice(0, 20));
});
