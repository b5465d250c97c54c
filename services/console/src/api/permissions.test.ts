import { checkPermission } from './permissions.js';

const workspaceId = '0c0c0c0c-0000-4000-8000-000000000001';
const person = (roles: string[], deploymentRoles: string[] = []) => ({
  issuer: 'https://login.example.com',
  subject: 'someone',
  display: 'someone',
  workspaces: { [workspaceId]: roles },
  deployment_roles: deploymentRoles,
});

test('a user is allowed if one of their roles grants the permission', () => {
  expect(checkPermission(person(['reader', 'editor']), 'webhook_update', workspaceId)).toEqual({
    allowed: true,
    reason: null,
  });
});

test('a deployment admin has every permission in every workspace', () => {
  expect(checkPermission(person([], ['tocsin_admin']), 'webhook_delete', workspaceId).allowed).toBe(true);
});

test('a denial names the roles that grant the permission and the roles of the user', () => {
  expect(checkPermission(person(['reader']), 'webhook_update', workspaceId).reason).toBe(
    'It needs the role editor or admin in this workspace. Your role is reader.',
  );
});

test('the denial of a deployment-wide permission names the role tocsin_admin of the deployment', () => {
  expect(checkPermission(person(['admin']), 'dead_letter_read', workspaceId).reason).toBe(
    'It needs the role tocsin_admin of the deployment. Your role is admin.',
  );
});

test('the denial for a user without a role in the workspace says that the user has no role', () => {
  expect(
    checkPermission(person(['admin']), 'delivery_read', '0c0c0c0c-0000-4000-8000-000000000002').reason,
  ).toContain('You have no role here.');
});
