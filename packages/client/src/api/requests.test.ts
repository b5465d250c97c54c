import { path } from './requests.js';

test('a value in a path is percent-encoded, so that it cannot change the path', () => {
  expect(path`/a/${'x/../y?z=1#é'}/b`).toBe('/a/x%2F..%2Fy%3Fz%3D1%23%C3%A9/b');
  expect(path`/plain`).toBe('/plain');
});

test.each(['', '.', '..', '\ud800'])('path rejects the value %j', (value) => {
  expect(() => path`/a/${value}`).toThrow(TypeError);
});
