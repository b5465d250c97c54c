import { parseCidrs } from './address-rules.js';
import { checkUrl, destinationOf } from './destination.js';

const strict = { allow: [] };
/** Message for a blocked address. It names the setting that can allow the address. */
const blocked =
  'must not lead to an address that deliveries may not reach; an operator can allow a private range with EGRESS_ALLOW';

test.each([
  'https://hooks.example.com/services/T0/B0/secret?x=1',
  'HTTP://EXAMPLE.com',
  'http://example.com:8080/',
  'https://bücher.example/',
  'http://8.8.8.8/',
  'http://[2606:4700::1111]:8443/x',
  'http://intranet/hook',
  'https://example.com/a@b?c=d@e',
  'https://example.com?to=me@example.org',
  'https://example.com./',
])('the webhook URL %s is valid', (url) => {
  expect(checkUrl(url, strict)).toEqual([]);
});

test.each([
  '',
  '/hook',
  '//example.com/hook',
  'example.com/hook',
  'ftp://example.com/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'data:text/plain,x',
  'http:example.com',
  'http:/example.com',
  'http:///example.com',
  'http:\\\\example.com',
  'https://',
  'http://exa mple.com/',
  ' http://example.com/',
  'http://example.com/\n',
  'http://exam\tple.com/',
  'http://example.com:99999/',
  'http://[fe80::1%25eth0]/',
  'http://[::1/',
  'http://256.256.256.256/',
  'http://1.2.3.4.5/',
  'http://[::1%25]/',
  'http://[::ffff:7f00:1%lo]/',
  'http://[::%2e1]/',
  'http://127.0.0.1%00/',
  'http://127.0.0.1%09/',
  'http://exam%20ple.com/',
  'http://example.com:８０/',
  'http://example.com:%38%30/',
  'http://example.com%40127.0.0.1/',
  'http://\u00ad/',
  'http://a\u00a0b/',
  'http://a\u2028b/',
  'http://\u202eexample.com/',
  'http://\u0000/',
])('%j is not an absolute http or https URL', (url) => {
  expect(checkUrl(url, strict)).toEqual(['must be an absolute http or https URL']);
});

test.each([
  'http://127.0.0.1/',
  'http://127.1/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://0x7f000001/',
  'http://017700000001/',
  'http://127.0.0.1./',
  'http://0/',
  'http://１２７.０.０.１/',
  'http://127。0。0。1/',
  'http://%31%32%37.0.0.1/',
  'http://127｡0．0。1/',
  'http://①②⑦.⓪.⓪.①/',
  'http://127.0.0\u00ad.1/',
  'http://127.0.0.1\u200b/',
  'http://127\u2060.0.0.1/',
  'http://127%2e0%2e0%2e1/',
  'http://127.0.0.1\\.example.com/',
  'http://[::127.0.0.1]/',
  'http://[::ffff:0:127.0.0.1]/',
  'http://[64:ff9b:1::7f00:1]/',
  'http://[2002:7f00:1::]/',
  'http://[::1]/',
  'http://[::]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[0:0:0:0:0:ffff:7f00:1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://169.254.169.254/latest/meta-data/',
  'http://168.63.129.16/',
])('the URL %s is rejected because its host is a blocked address in some notation', (url) => {
  expect(checkUrl(url, strict)).toEqual([blocked]);
});

test('a URL with an address in an allowed range is valid', () => {
  expect(checkUrl('http://2130706433:8080/', { allow: parseCidrs(['127.0.0.0/8']) })).toEqual([]);
});

test.each([
  'http://user@example.com/',
  'http://user:secret@example.com/',
  'http://@example.com/',
  'http://:@example.com/',
  'http://example.com%2f@8.8.8.8/',
  'http://8.8.8.8%23@example.com/',
])('the URL %s is rejected because of its user name or password', (url) => {
  expect(checkUrl(url, strict)).toEqual(['must not contain a user name or a password']);
});

test.each(['http://example.com:0/', 'https://8.8.8.8:00000', 'http://[2606:4700::1111]:0'])(
  'the URL %s is rejected because of its port 0',
  (url) => {
    expect(checkUrl(url, strict)).toEqual(['must not name the port 0']);
  },
);

test('all problems of a URL are reported together', () => {
  expect(checkUrl('http://me@127.0.0.1/#', strict)).toEqual([
    'must not contain a user name or a password',
    'must not have a fragment',
    blocked,
  ]);
});

test('a URL of 2,048 characters is valid and one of 2,049 is not', () => {
  const url = 'https://example.com/'.padEnd(2048, 'a');
  expect(checkUrl(url, strict)).toEqual([]);
  expect(checkUrl(`${url}a`, strict)).toEqual(['must be at most 2048 characters']);
});

test('destinationOf returns scheme, host and port only', () => {
  expect(destinationOf('https://user:pw@Example.com:8443/secret?token=1')).toBe('https://example.com:8443');
  expect(destinationOf('http://[::1]:80/secret')).toBe('http://[::1]');
  expect(destinationOf('not a url')).toBe('');
});
