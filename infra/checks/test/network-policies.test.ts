import { BlockList, isIPv6 } from 'node:net';
import { parse } from 'yaml';
import { readChartFile } from '../src/deploy/chart.js';
import { readText } from './support/compose.js';
import { named, renderChart, testRendering } from './support/rendered-chart.js';

interface Peer {
  ipBlock?: { cidr: string; except?: string[] };
}
interface EgressRule {
  to: Peer[];
  ports?: { port: number }[];
}

testRendering('webhooks reach public addresses and EGRESS_ALLOW, and no other address', () => {
  const open = ['10.1.0.7', '10.2.9.9', 'fd00::7', '8.8.8.8', '172.32.0.1', '2606:2800:21f::1'];
  const closed = [
    ...['10.1.0.6', '10.3.0.0', '127.0.0.1', '169.254.169.254', '100.64.0.1', '168.63.129.16', '0.0.0.1'],
    ...['192.168.1.1', '224.0.0.1', '255.255.255.255', '::1', '::ffff:10.0.0.1', '64:ff9b::a00:1'],
    ...['fd00::8', 'fe80::1', '2001:db8::1', '2002::1'],
  ];
  for (const service of ['webhook-api', 'delivery-worker']) {
    const { spec } = named(renderChart('everything'), 'NetworkPolicy', `tocsin-${service}`);
    const rule = (spec.egress as EgressRule[]).find(({ ports }) => ports === undefined);
    const blocks = (rule?.to ?? []).flatMap(({ ipBlock }) => ipBlock ?? []);
    expect(blocks.length).toBe(rule?.to.length);
    const isOpen = (address: string) =>
      blocks.some(({ cidr, except = [] }) => isWithin(address, [cidr]) && !isWithin(address, except));
    expect([...open, ...closed].filter(isOpen)).toEqual(open);
  }
});

test('the network policies block the same address ranges as the egress guard', () => {
  const rules = readText('packages/egress/src/address-rules.ts');
  const rangesOf = (name: string) => {
    const [, list = ''] = new RegExp(`const ${name} = \\[([^\\]]*)\\]`).exec(rules) ?? [];
    return [...list.matchAll(/'([^']+)'/g)].map(([, range]) => range);
  };
  const expected = { ipv4: rangesOf('blockedV4'), ipv6: rangesOf('blockedV6') };
  expect([expected.ipv4.length, expected.ipv6.length]).toEqual([19, 5]);
  expect(parse(readChartFile('files/special-purpose-ranges.yaml'))).toEqual(expected);
});

function isWithin(address: string, ranges: readonly string[]): boolean {
  return ranges.some((range) => {
    const [first = '', bits] = range.split('/');
    // BlockList of Node.js treats an IPv4-mapped IPv6 address as its IPv4 address, but a NetworkPolicy does not.
    // Address families are therefore compared first.
    if (isIPv6(first) !== isIPv6(address)) return false;
    const list = new BlockList();
    list.addSubnet(first, Number(bits), isIPv6(first) ? 'ipv6' : 'ipv4');
    return list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  });
}

testRendering('network policies open the ports of DNS and the identity provider that the values name', () => {
  const args = ['--set', 'networkPolicy.dns.port=5353'];
  const { spec } = named(renderChart('everything', args), 'NetworkPolicy', 'tocsin-engine-auth');
  const ports = (spec.egress as EgressRule[]).flatMap((rule) => rule.ports?.map(({ port }) => port) ?? []);
  expect(ports).toEqual([5353, 5353, 5432, 5672, 8443, 4318]);
});

testRendering('only services that call webhooks reach the public Internet on every port', () => {
  const policies = renderChart('everything').filter(({ kind }) => kind === 'NetworkPolicy');
  expect(policies.map(({ metadata }) => metadata.name).sort()).toEqual(
    ['archive', 'delivery-worker', 'engine-auth', 'migrations', 'rotate-keys', 'webhook-api'].map(
      (name) => `tocsin-${name}`,
    ),
  );
  const open = policies.filter(({ spec }) =>
    (spec.egress as EgressRule[]).some(({ ports, to }) => ports === undefined || to.length === 0),
  );
  expect(open.map(({ metadata }) => metadata.name).sort()).toEqual([
    'tocsin-delivery-worker',
    'tocsin-webhook-api',
  ]);
});

testRendering('without monitoring clients, no client reaches the metrics', () => {
  const portsOf = (args: string[]) =>
    ['webhook-api', 'engine-auth', 'delivery-worker'].map((service) => {
      const { spec } = named(renderChart('everything', args), 'NetworkPolicy', `tocsin-${service}`);
      return (spec.ingress as { ports: { port: string }[] }[]).flatMap((rule) =>
        rule.ports.map(({ port }) => port),
      );
    });
  expect(portsOf([])).toEqual([['http', 'metrics'], ['http', 'metrics'], ['metrics']]);
  expect(portsOf(['--set-json', 'networkPolicy.monitoring=[]'])).toEqual([['http'], ['http'], []]);
});
