import { randomUUID } from 'node:crypto';
import type { Workspace } from '@tocsin/contracts';
import { insertAlert, insertAlertRule, insertWebhook } from '@tocsin/testing/database';
import { otherWorkspaceId, useApi, workspaceId } from './support/api.js';
import { nextOf, readAll } from './support/paging.js';
import type { Role } from './support/tokens.js';

const api = useApi();

const list = async (as: Role) => (await api.call<Workspace[]>('GET', '/api/v1/workspaces', { as })).body;

test.each<[Role, string]>([
  ['editor', workspaceId],
  ['reader', workspaceId],
  ['publisher', workspaceId],
  ['outsider', otherWorkspaceId],
])('a caller with the role %s can list only the workspace of its role', async (role, id) => {
  await insertWebhook(api.database);
  expect(await list(role)).toEqual([{ id, name: null }]);
});

test('the list of workspaces shows the names from the settings', async () => {
  const settings = `/api/v1/workspaces/${workspaceId}/settings`;
  await api.call('PATCH', settings, { body: { name: 'Risk team' }, as: 'admin' });
  expect(await list('reader')).toEqual([{ id: workspaceId, name: 'Risk team' }]);
  expect(await list('admin')).toContainEqual({ id: workspaceId, name: 'Risk team' });
  await api.call('PATCH', settings, { body: { name: null }, as: 'admin' });
  expect(await list('reader')).toEqual([{ id: workspaceId, name: null }]);
});

test('a deployment admin sees each workspace that owns a webhook, a rule, an alert or settings', async () => {
  const ids = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  const [ofWebhooks, ofRules, ofAlerts, ofSettings] = ids as [string, string, string, string];
  for (let count = 0; count < 3; count += 1) await insertWebhook(api.database, { workspaceId: ofWebhooks });
  await insertAlertRule(api.database, { workspaceId: ofRules });
  await insertAlert(api.database, { workspaceId: ofAlerts });
  await api.call('PATCH', `/api/v1/workspaces/${ofSettings}/settings`, {
    body: { name: 'New' },
    as: 'admin',
  });
  const deleted = randomUUID();
  await insertAlertRule(api.database, { workspaceId: deleted, deleted: true });
  const seen = (await list('admin')).map(({ id }) => id);
  expect(seen).toEqual([...seen].sort());
  expect(seen).toEqual([...new Set(seen)]);
  expect(seen).toEqual(expect.arrayContaining([workspaceId, ...ids]));
  expect(seen).not.toContain(deleted);
});

test('the list of workspaces can be read page by page', async () => {
  for (let count = 0; count < 5; count += 1) await insertWebhook(api.database);
  const all = await list('admin');
  const { entries, pages } = await readAll<Workspace>(api, '/api/v1/workspaces?limit=2', { as: 'admin' });
  expect(entries).toEqual(all);
  expect(pages).toBe(Math.ceil(all.length / 2));
  const path = '/api/v1/workspaces?limit=2&count=true';
  const next = nextOf((await api.call('GET', path, { as: 'admin' })).headers)!;
  for (const page of [path, next])
    expect((await api.call('GET', page, { as: 'admin' })).headers.get('x-total-count')).toBe(`${all.length}`);
});

test('the list of workspaces needs a token', async () => {
  expect((await fetch(`${api.url}/api/v1/workspaces`)).status).toBe(401);
});
