import { parseHosts, parseSearch } from './lookup.js';

test('a hosts file maps each name, in lower case, to all its addresses', () => {
  const hosts = parseHosts(
    '127.0.0.1\tlocalhost Box # me\n::1 localhost\n# 9.9.9.9 no\n\n10.0.0.1 __proto__\r\n',
  );
  expect(hosts.get('localhost')).toEqual(['127.0.0.1', '::1']);
  expect(hosts.get('box')).toEqual(['127.0.0.1']);
  expect(hosts.get('__proto__')).toEqual(['10.0.0.1']);
  expect(hosts.size).toBe(3);
});

test('only the last `search` line of resolv.conf is used', () => {
  expect(
    parseSearch('nameserver 10.0.0.2\nsearch a.example\nsearch ns.svc.local. svc.local\noptions ndots:5'),
  ).toEqual(['ns.svc.local', 'svc.local']);
  expect(parseSearch('domain corp.example\n')).toEqual(['corp.example']);
  expect(parseSearch('search .\n')).toEqual([]);
  expect(parseSearch('')).toEqual([]);
});
