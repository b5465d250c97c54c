import type { Webhook } from '@tocsin/contracts';
import { insertWebhook } from '@tocsin/testing/database';
import { otherWorkspaceId, useApi, workspaceId } from './support/api.js';
import { tokenOf } from './support/tokens.js';

const collection = `/api/v1/workspaces/${workspaceId}/webhooks`;
const names = ['Bravo', 'alpha', 'charlie 100%', "delta_'; drop table webhooks; --", 'Échelon', 'alpha'];

const api = useApi();
beforeAll(async () => {
  for (const name of names) {
    const body = { name, url: 'http://127.0.0.1:9/', body: '{}' };
    expect((await api.call('POST', collection, { body })).status).toBe(201);
  }
});

const list = (query = '') => api.call<Webhook[]>('GET', `${collection}${query}`);
const namesOf = async (query: string) => (await list(query)).body.map(({ name }) => name);

/** Reads all pages by following their links. */
async function readPages(
  query: string,
  between: () => Promise<unknown> = async () => {},
): Promise<Webhook[][]> {
  const pages: Webhook[][] = [];
  for (let next: string | undefined = `${collection}${query}`; next !== undefined; ) {
    const { status, body, headers }: Awaited<ReturnType<typeof list>> = await api.call('GET', next);
    expect(status).toBe(200);
    pages.push(body);
    next = /^<(.*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
    await between();
  }
  return pages;
}

test('the list of webhooks is complete and oldest first by default', async () => {
  const { headers, body } = await list();
  expect(headers.get('link')).toBeNull();
  expect(body.map(({ name }) => name)).toEqual(names);
  expect(await namesOf('?order=desc')).toEqual([...names].reverse());
});

test('the list of webhooks contains only webhooks of its workspace', async () => {
  const path = `/api/v1/workspaces/${otherWorkspaceId}/webhooks`;
  expect((await api.call('GET', path, { as: 'outsider' })).body).toEqual([]);
});

test('webhooks are sorted by name without regard to case', async () => {
  const sorted = await namesOf('?sort=name');
  expect(sorted.slice(0, 4)).toEqual(['alpha', 'alpha', 'Bravo', 'charlie 100%']);
  expect(await namesOf('?sort=name&order=desc')).toEqual([...sorted].reverse());
});

test('the name filter matches any part of a name literally, without regard to case', async () => {
  expect(await namesOf('?name=ALPHA')).toEqual(['alpha', 'alpha']);
  expect(await namesOf('?name=100%25')).toEqual(['charlie 100%']);
  expect(await namesOf('?name=%25')).toEqual(['charlie 100%']);
  expect(await namesOf(`?name=${encodeURIComponent("'; drop table webhooks")}`)).toEqual([names[3]]);
  expect(await namesOf('?name=no-such')).toEqual([]);
  expect(await namesOf('?name=')).toEqual(names);
});

test.each([
  '?limit=1',
  '?limit=4',
  '?limit=2&sort=name',
  '?limit=1&sort=name&order=desc',
  '?limit=5&sort=updated_at',
])('the pages of the webhook list with %s together contain the whole list', async (query) => {
  const whole = (await list(query.replace(/limit=\d+&?/, ''))).body;
  const pages = await readPages(query);
  expect(pages.flat()).toEqual(whole);
  expect(pages.length).toBe(Math.ceil(names.length / Number(/limit=(\d+)/.exec(query)![1])));
});

test('a new signing secret counts as a change in the list of webhooks sorted by updated_at', async () => {
  const idsOf = (webhooks: Webhook[]) => webhooks.map((webhook) => webhook.id);
  const [first = '', second = '', ...others] = idsOf((await list()).body);
  for (const id of [second, first])
    await api.call('POST', `/api/v1/webhooks/${id}/signing_secrets`, { body: {} });
  const expected = [...others, second, first];
  expect(idsOf((await list('?sort=updated_at')).body)).toEqual(expected);
  for (const order of ['asc', 'desc']) {
    const found: string[] = [];
    let next: string | undefined = `${collection}?sort=updated_at&order=${order}&limit=1`;
    while (next !== undefined && found.length <= expected.length) {
      const page: Awaited<ReturnType<typeof list>> = await api.call('GET', next);
      found.push(...idsOf(page.body));
      next = /^<(.*)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect([order, found]).toEqual([order, order === 'asc' ? expected : expected.toReversed()]);
  }
});

test('paging through webhooks neither loses nor repeats any while others are created', async () => {
  const added: string[] = [];
  const between = async () => {
    const body = { name: `${added.length} early`, url: 'http://127.0.0.1:9/', body: '{}' };
    const created = await api.call<Webhook>('POST', collection, { body });
    added.push(created.body.id);
  };
  const pages = await readPages('?limit=2&sort=name', between);
  expect(pages.flat().map(({ name }) => name)).toEqual(
    (await namesOf('?sort=name')).filter((name) => !/early/.test(name)),
  );
  for (const id of added) await api.call('DELETE', `/api/v1/webhooks/${id}`);
});

test.each([
  'limit=0',
  'limit=1001',
  'limit=-1',
  'limit=1.5',
  'limit=many',
  'limit=1&limit=2',
  'sort=body',
  'sort=name;--',
  'order=up',
  'colour=red',
  'cursor=',
  'cursor=nonsense',
  `cursor=${'A'.repeat(5000)}`,
  '__proto__=1',
  'constructor=1',
  'name=%00',
])('the webhook query ?%s is rejected with a message', async (query) => {
  const { status, body } = await api.call('GET', `${collection}?${query}`);
  expect([status, body.errors?.length]).toEqual([422, 1]);
});

test('a malformed percent escape in the query of a list gets 400', async () => {
  expect((await api.call('GET', `${collection}?name=%zz`)).status).toBe(400);
});

test('a cursor of a webhook list is valid only for the same workspace, sort key and order', async () => {
  const { headers } = await list('?limit=1&sort=name');
  const cursor = /cursor=([^&>]*)/.exec(headers.get('link') ?? '')![1]!;
  expect((await list(`?limit=1&sort=name&cursor=${cursor}`)).status).toBe(200);
  expect((await list(`?limit=1&cursor=${cursor}`)).status).toBe(422);
  expect((await list(`?limit=1&sort=name&order=desc&cursor=${cursor}`)).status).toBe(422);
  const other = `/api/v1/workspaces/${otherWorkspaceId}/webhooks?limit=1&sort=name&cursor=${cursor}`;
  expect((await api.call('GET', other, { as: 'outsider' })).status).toBe(422);
  for (const at of [0, 10, 30, cursor.length - 1]) {
    const changed = `${cursor.slice(0, at)}${cursor[at] === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`;
    expect((await list(`?limit=1&sort=name&cursor=${changed}`)).status).toBe(422);
  }
});

test('a large list of webhooks is complete and in order, and omits webhooks deleted meanwhile', async () => {
  const path = `/api/v1/workspaces/${otherWorkspaceId}/webhooks`;
  const large = `"${'x'.repeat(65_000)}"`;
  const ids: string[] = [];
  for (let count = 0; count < 30; count += 1) {
    const webhook = { name: `W${count}`, url: 'http://127.0.0.1:9/', body: count === 20 ? '{}' : large };
    ids.push((await api.call<Webhook>('POST', path, { as: 'outsider', body: webhook })).body.id);
  }
  const whole = await api.call<Webhook[]>('GET', path, { as: 'outsider' });
  expect(whole.body.map(({ id }) => id)).toEqual(ids);
  // The list is sent page by page, so the response has no Content-Length.
  expect(whole.headers.get('content-length')).toBeNull();
  expect(whole.body.map(({ body }) => body.length)).toEqual(
    ids.map((_, index) => (index === 20 ? 2 : large.length)),
  );
  const first = await api.call<Webhook[]>('GET', `${path}?limit=29&order=desc`, { as: 'outsider' });
  expect(first.body.map(({ id }) => id)).toEqual([...ids].reverse().slice(0, 29));
  expect(first.headers.get('link')).toContain('rel="next"');

  // The service reads a page only after the client has received the previous one. The webhooks are deleted while the
  // response is in progress, so the list ends after the pages that the service had read. Their 26 MB do not fit into
  // the buffers of the connection, which have 10 MB at most by the defaults of Linux.
  for (let count = 0; count < 370; count += 1) {
    const columns = { created_at: new Date(Date.now() + count) };
    ids.push(await insertWebhook(api.database, { workspaceId: otherWorkspaceId, body: large, columns }));
  }
  const response = await fetch(`${api.url}${path}`, {
    headers: { Authorization: `Bearer ${await tokenOf('outsider')}` },
  });
  await api.database.knex('webhooks').where({ workspace_id: otherWorkspaceId }).delete();
  const rest = (await response.json()) as Webhook[];
  expect(rest.map(({ id }) => id)).toEqual(ids.slice(0, rest.length));
  expect(rest.length).toBeGreaterThan(0);
  expect(rest.length).toBeLessThan(ids.length);
});
