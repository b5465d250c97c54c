import { deploymentRolesFrom, workspaceRolesFrom } from './roles-from-claims.js';

const workspace = '11111111-1111-4111-8111-111111111111';
const groups = [`/workspaces/${workspace}/editor`];

test.each([
  ['groups', { groups }],
  ['https://id.example/groups', { 'https://id.example/groups': groups }],
  ['a.b', { a: { b: groups } }],
  ['a.b', { 'a.b': groups, a: { b: [] } }],
])('the claim %s is read by its full name or by its path', (name, claims) => {
  expect(workspaceRolesFrom(claims, name)).toEqual(new Map([[workspace, new Set(['editor'])]]));
});

test.each([
  ['groups', {}],
  ['groups', { groups: groups[0] }],
  ['groups.length', { groups }],
  ['a.constructor.name', { a: {} }],
  ['a.b', { a: null }],
])('the roles claim %s grants no role in the claims %j', (name, claims) => {
  expect(workspaceRolesFrom(claims, name)).toEqual(new Map());
  expect(deploymentRolesFrom(claims, name)).toEqual(new Set());
});
