import { deploymentRolesFrom, workspaceRolesFrom } from '../src/roles-from-claims.js';

const id = '11111111-1111-4111-8111-11111111111a';
const rolesOf = (groups: unknown) => [...workspaceRolesFrom({ groups }, 'groups')];

test('claim entries such as /workspaces/{id}/{role} grant roles; the id may be in upper case', () => {
  expect(
    rolesOf([
      `/workspaces/${id}/editor`,
      `/workspaces/${id.toUpperCase()}/publisher`,
      `/workspaces/${id}/editor`,
    ]),
  ).toEqual([[id, new Set(['editor', 'publisher'])]]);
});

test.each([
  `/workspaces/${id}/owner`,
  `/workspaces/${id}/constructor`,
  `/workspaces/${id}/ADMIN`,
  `/workspaces/${id}/`,
  `/workspaces/${id}/admin/`,
  `/workspaces/${id}/admin\n`,
  `/workspaces/${id}0/admin`,
  `/workspaces/0${id}/admin`,
  `/workspaces/${id.slice(1)}/admin`,
  `/workspaces/g${id.slice(1)}/admin`,
  `/workspaces/${id.replace('-', '')}/admin`,
  `/workspaces/${id.replaceAll('-', '_')}/admin`,
  `x/workspaces/${id}/admin`,
  `/WORKSPACES/${id}/admin`,
  `/other/${id}/admin`,
  `workspaces/${id}/admin`,
  '/workspaces/not-a-uuid/admin',
  7,
  null,
])('the claim entry %j grants no role', (entry) => {
  expect(rolesOf([entry])).toEqual([]);
  expect(rolesOf([entry, `/workspaces/${id}/reader`])).toEqual([[id, new Set(['reader'])]]);
});

test('a roles claim that is not a list grants no role', () => {
  for (const groups of [undefined, null, `/workspaces/${id}/admin`, 7, { 0: `/workspaces/${id}/admin` }])
    expect(rolesOf(groups)).toEqual([]);
});

test('deployment roles are read from a claim path, and unknown roles are ignored', () => {
  const roles = ['tocsin_admin', 'toString', 'offline_access', 7];
  const claims = { realm_access: { roles } };
  expect(deploymentRolesFrom(claims, 'realm_access.roles')).toEqual(new Set(['tocsin_admin']));
  for (const name of ['realm_access', 'realm_access.roles.0', 'realm_access.toString', 'missing.roles', ''])
    expect([name, deploymentRolesFrom(claims, name)]).toEqual([name, new Set()]);
});

test('a claim whose name contains dots takes precedence over a claim path', () => {
  const claims = {
    'https://tocsin.example/roles': ['tocsin_engine_admin'],
    'a.b': ['tocsin_admin'],
    a: { b: ['tocsin_engine_admin'] },
  };
  expect(deploymentRolesFrom(claims, 'https://tocsin.example/roles')).toEqual(
    new Set(['tocsin_engine_admin']),
  );
  expect(deploymentRolesFrom(claims, 'a.b')).toEqual(new Set(['tocsin_admin']));
});

test('inherited members of a claims object are not read as claims', () => {
  const inherited = Object.create({ roles: ['tocsin_admin'] });
  expect(deploymentRolesFrom(inherited, 'roles')).toEqual(new Set());
  expect(deploymentRolesFrom({ a: inherited }, 'a.roles')).toEqual(new Set());
  expect(deploymentRolesFrom({ a: null, b: 'text' }, 'a.roles')).toEqual(new Set());
  expect(deploymentRolesFrom({ b: 'text' }, 'b.length')).toEqual(new Set());
});
