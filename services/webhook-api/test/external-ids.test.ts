import { randomUUID } from 'node:crypto';
import { otherWorkspaceId, type Problem, useApi, workspaceId } from './support/api.js';

interface Resource extends Problem {
  id: string;
  external_id: string | null;
  owner?: { id: string; name: string };
}

const api = useApi();

const kinds = [
  {
    kind: 'webhook',
    plural: 'webhooks',
    fields: { name: 'Hook', url: 'http://127.0.0.1:9/', body: '{}' },
  },
  {
    kind: 'alert rule',
    plural: 'alert_rules',
    fields: { name: 'Rule', model_id: randomUUID(), threshold: 1, bound: 'upper_bound' },
  },
] as const;

describe.each(kinds)('the external id of a $kind', ({ kind, plural, fields }) => {
  const collection = `/api/v1/workspaces/${workspaceId}/${plural}`;
  const create = (external_id?: unknown, path: string = collection) =>
    api.call<Resource>('POST', path, {
      body: { ...fields, external_id },
      as: path === collection ? 'editor' : 'outsider',
    });
  const patch = (id: string, body: object) =>
    api.call<Resource>('PATCH', `/api/v1/${plural}/${id}`, { body });
  const remove = (id: string) => api.call('DELETE', `/api/v1/${plural}/${id}`);
  const find = async (query: string) =>
    (await api.call<Resource[]>('GET', `${collection}?${query}`, { as: 'reader' })).body.map(({ id }) => id);

  test('an external id is null by default, can be set at any time, and null removes it', async () => {
    const [plain, named] = [await create(), await create('team/one')];
    expect([plain.body.external_id, named.body.external_id]).toEqual([null, 'team/one']);
    expect((await patch(plain.body.id, { external_id: 'two' })).body.external_id).toBe('two');
    expect((await patch(plain.body.id, { name: 'Renamed' })).body.external_id).toBe('two');
    expect((await patch(plain.body.id, { external_id: null })).body.external_id).toBeNull();
    expect((await create('two')).status).toBe(201);
  });

  test('the filter by external id finds exactly one resource, with and without limit', async () => {
    const { id } = (await create('find me')).body;
    await create('find me too');
    await create('find me', collection.replace(workspaceId, otherWorkspaceId));
    for (const query of ['external_id=find+me', 'external_id=find%20me&limit=1'])
      expect([query, await find(query)]).toEqual([query, [id]]);
    expect(await find('external_id=FIND+ME')).toEqual([]);
    expect((await api.call('GET', `${collection}?external_id=`)).status).toBe(422);
    expect((await api.call('GET', `${collection}?external_id=a%00`)).status).toBe(422);
  });

  test('an external id that is in use gets 409 with the name of its resource', async () => {
    const { id } = (await create('taken')).body;
    const other = (await create()).body.id;
    for (const rejected of [await create('taken'), await patch(other, { external_id: 'taken' })]) {
      expect([rejected.status, rejected.body.code]).toEqual([409, 'conflict']);
      expect(rejected.body.owner).toEqual({ id, name: fields.name });
      expect(rejected.body.detail).toContain(`the ${kind} "${fields.name}" (${id})`);
    }
    expect((await patch(id, { external_id: 'taken', name: 'Renamed' })).status).toBe(200);
    const elsewhere = collection.replace(workspaceId, otherWorkspaceId);
    expect((await create('taken', elsewhere)).status).toBe(201);
  });

  test('an external id can be used again after the deletion of its resource', async () => {
    const { id } = (await create('again')).body;
    expect((await remove(id)).status).toBe(204);
    expect((await create('again')).status).toBe(201);
  });

  test('twenty concurrent writes give an external id to one resource only', async () => {
    const plain = await Promise.all(Array.from({ length: 10 }, async () => (await create()).body.id));
    const responses = await Promise.all([
      ...plain.map((id) => patch(id, { external_id: 'contended' })),
      ...plain.map(() => create('contended')),
    ]);
    const statuses = responses.map(({ status }) => status);
    expect(statuses.filter((status) => status < 300)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(19);
    expect(await find('external_id=contended')).toHaveLength(1);
  });

  test.each([
    ['one character', 'a'],
    ['255 characters outside the basic plane', '🚀'.repeat(255)],
    ['emoji that a joiner connects', '👩‍💻'],
    ['letters that are read from right to left', 'שלום-مرحبا'],
    ['spaces at both ends', ' x '],
    ['quotes and percent signs', `"'; drop table webhooks; --%00%`],
  ])('external ids with %s are stored unchanged', async (_, text) => {
    const { id } = (await create(text)).body;
    const { body } = await api.call<Resource>('GET', `/api/v1/${plural}/${id}`);
    expect(body.external_id).toBe(text);
    expect(await find(`external_id=${encodeURIComponent(text)}`)).toEqual([id]);
    await remove(id);
  });

  test.each([
    ['an empty text', ''],
    ['256 characters', 'x'.repeat(256)],
    ['a NUL', 'a\0'],
    ['a line break', 'a\nb'],
    ['a tab', 'a\t'],
    ['a control character of Latin-1', 'a\u0085'],
    ['a character that reverses the direction', 'a\u202eb'],
    ['a mark of direction', 'a\u200f'],
    ['a space without width', 'a\u200b'],
    ['a no-break space', 'a\u00a0'],
    ['a byte order mark', '\ufeffa'],
    ['a lone surrogate', 'a\ud800'],
    ['a number', 1],
    ['a list', ['a']],
  ])('%s is rejected as an external id', async (_, value) => {
    const { status, body } = await create(value);
    expect([status, body.errors?.map(({ path }) => path)]).toEqual([422, ['/external_id']]);
  });
});
