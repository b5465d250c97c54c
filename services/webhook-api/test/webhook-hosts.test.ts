import type { Webhook } from '@tocsin/contracts';
import { insertWebhook } from '@tocsin/testing/database';
import { otherWorkspaceId, type Problem, useApi, workspaceId } from './support/api.js';

const api = useApi();
const filterBy = <Body>(host: string, further: Record<string, string> = {}) =>
  api.call<Body>(
    'GET',
    `/api/v1/workspaces/${workspaceId}/webhooks?${new URLSearchParams({ host, count: 'true', ...further })}`,
    { as: 'reader' },
  );

const urls = [
  'https://chat.example.com/hook?token=x',
  'http://chat.example.com:8080/',
  'https://chat.example.com.evil.example/',
  'https://sub.chat.example.com/',
  'https://xn--bcher-kva.example/',
  'http://[2001:db8::1]:81/',
  'http://10.0.0.1/',
];
beforeAll(async () => {
  for (const url of urls) {
    await insertWebhook(api.database, { workspaceId, url });
    await insertWebhook(api.database, { workspaceId: otherWorkspaceId, url });
  }
});

test.each([
  ['chat.example.com', [urls[0], urls[1]]],
  ['CHAT.Example.COM', [urls[0], urls[1]]],
  ['chat.example.com:8080', [urls[1]]],
  ['chat.example.com:443', [urls[0]]],
  ['chat.example.com:80', []],
  ['bücher.example', [urls[4]]],
  ['[2001:db8:0::1]', [urls[5]]],
  ['10.1', [urls[6]]],
  ['example.com', []],
])('the filter by host %s finds the webhooks %j', async (host, expected) => {
  const { headers, body } = await filterBy<Webhook[]>(host);
  expect(body.map(({ url }) => new URL(url).origin).sort()).toEqual(
    expected.map((url) => new URL(url!).origin).sort(),
  );
  expect(headers.get('x-total-count')).toBe(`${expected.length}`);
});

test.each(['a/b', 'a?b', 'user@a', 'http://a', 'a b', '::1', 'a:99999', '%'])(
  'the filter by host %j is rejected',
  async (host) => {
    const { status, body } = await filterBy<Problem>(host);
    expect([status, body.errors?.[0]?.path]).toEqual([422, 'host']);
  },
);

test('the filter by host can be combined with the filters by name and by external id', async () => {
  const columns = { name: 'Both', external_id: 'both' };
  await insertWebhook(api.database, { workspaceId, url: 'http://combined.example:81/', columns });
  await insertWebhook(api.database, { workspaceId, url: 'http://combined.example:81/' });
  const namesOf = async (further: Record<string, string>) =>
    (await filterBy<Webhook[]>('combined.example', further)).body.map(({ name }) => name);
  expect(await namesOf({})).toHaveLength(2);
  for (const matching of [{ name: 'both' }, { external_id: 'both' }, { name: 'both', external_id: 'both' }])
    expect([matching, await namesOf(matching)]).toEqual([matching, ['Both']]);
  for (const other of [
    { name: 'b', external_id: 'none' },
    { name: 'none', external_id: 'both' },
  ])
    expect([other, await namesOf(other)]).toEqual([other, []]);
});
