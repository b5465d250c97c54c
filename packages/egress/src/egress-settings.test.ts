import { readEnv } from '@tocsin/kit';
import { readEgressSettings } from './egress-settings.js';

const read = (env: Record<string, string>) => readEnv(env, readEgressSettings);

test('the allowed ranges and the file of certificate authorities are optional', () => {
  expect(read({})).toEqual({ allow: [], caFile: undefined });
  expect(read({ EGRESS_ALLOW: '10.0.0.0/8, fd00::/8,127.0.0.1', EGRESS_CA_FILE: '/ca.pem' })).toEqual({
    allow: ['10.0.0.0/8', 'fd00::/8', '127.0.0.1'],
    caFile: '/ca.pem',
  });
});

test.each(['10.0.0.0/33', 'fe80::1%eth0', '10.0.0.0/8 192.168.0.0/16', '10.0.0.0/-1', '010.0.0.1', '/8'])(
  'the range %s is reported as a problem of the settings',
  (EGRESS_ALLOW) => {
    expect(() => read({ EGRESS_ALLOW })).toThrow('EGRESS_ALLOW must be address ranges such as 10.0.0.0/8');
  },
);
