import { deploymentRolesFrom, workspaceRolesFrom } from './roles-from-claims.js';

const workspace = '11111111-1111-4111-8111-111111111111';
const groups = [`/workspaces/${workspace}/editor`];

test.each([
  ['groups', { groups }],
  ['https://id.example/groups', { 'https://id.example/groups': groups }],
  ['a.b', { a: { b: groups } }],
  ['a.b', { 'a.b': groups, a: { b: [] } }],
])('the roles claim %s is found by its full name or by its path', (name, claims) => {
  expect(workspaceRolesFrom(claims, name)).toEqual(new Map([[workspace, new Set(['editor'])]]));
});

test.each([
  ['groups', {}],
  ['groups', { groups: groups[0] }],
  ['groups.length', { groups }],
  ['a.constructor.name', { a: {} }],
  ['a.b', { a: null }],
])('no role is read from the claim %s in the claims %j', (name, claims) => {
  expect(workspaceRolesFrom(claims, name)).toEqual(new Map());
  expect(deploymentRolesFrom(claims, name)).toEqual(new Set());
});

test('roles for a workspace id in upper case and in lower case are combined', () => {
  const id = 'abcdefab-1111-4111-8111-111111111111';
  const entries = [`/workspaces/${id.toUpperCase()}/editor`, `/workspaces/${id}/publisher`];
  expect(workspaceRolesFrom({ groups: entries }, 'groups')).toEqual(
    new Map([[id, new Set(['editor', 'publisher'])]]),
  );
});

test.each(['unknown', 'constructor', 'Editor', ''])('the workspace role "%s" is ignored', (role) => {
  expect(workspaceRolesFrom({ groups: [`/workspaces/${workspace}/${role}`] }, 'groups')).toEqual(new Map());
});

test('unknown roles for the whole deployment are ignored', () => {
  const realm_access = { roles: ['tocsin_admin', 'unknown', 'constructor', 5, null] };
  expect(deploymentRolesFrom({ realm_access }, 'realm_access.roles')).toEqual(new Set(['tocsin_admin']));
});
