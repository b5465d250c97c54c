import { createTargets } from './target.js';

test('headers that were cached for one URL can be sent to another URL', () => {
  const targetOf = createTargets();
  const headers = { 'X-Key': ['a', 'b'] };
  const first = targetOf({ url: 'http://one.example/a?b=1', headers });
  const second = targetOf({ url: 'https://two.example/c', headers });
  expect(first).toMatchObject({ path: '/a?b=1', rawHeaders: ['X-Key', 'a', 'X-Key', 'b'] });
  expect(first.destination).toMatchObject({ hostname: 'one.example', port: 80, isTls: false });
  expect(second.destination).toMatchObject({ hostname: 'two.example', port: 443, isTls: true });
  expect(second.path).toBe('/c');
});

test('requests with equal header names keep their own header values', () => {
  const targetOf = createTargets();
  const url = 'http://one.example/';
  const plain = targetOf({ url, headers: { A: ['1'] } });
  const other = targetOf({ url, headers: { A: ['2'] } });
  expect([plain.rawHeaders, other.rawHeaders]).toEqual([
    ['A', '1'],
    ['A', '2'],
  ]);
});

test('an invalid request is rejected each time, even with cached headers', () => {
  const targetOf = createTargets();
  const forbidden = { Host: ['inner.example'] };
  const request = { url: 'http://one.example/', headers: forbidden };
  expect(() => targetOf(request)).toThrow('cannot be sent');
  expect(() => targetOf(request)).toThrow('cannot be sent');
  const headers = { A: ['1'] };
  targetOf({ url: 'http://one.example/', headers });
  expect(() => targetOf({ url: 'file:///etc/passwd', headers })).toThrow('only http and https');
});
