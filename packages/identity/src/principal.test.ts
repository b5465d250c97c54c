import type { AppError } from '@tocsin/kit';
import type { DeploymentRole, Permission, WorkspaceRole } from './permissions.js';
import { hasPermission, type Principal, presentWhoami, requirePermission } from './principal.js';

const own = 'aaaaaaaa-1111-4111-8111-111111111111';
const foreign = '22222222-2222-4222-8222-222222222222';

function caller(workspaceRole?: WorkspaceRole, deploymentRole?: DeploymentRole): Principal {
  return {
    issuer: 'https://id.example',
    subject: 'ada',
    display: 'Ada',
    workspaceRoles: new Map(workspaceRole ? [[own, new Set([workspaceRole])]] : []),
    deploymentRoles: new Set(deploymentRole ? [deploymentRole] : []),
  };
}

test.each<[WorkspaceRole, Permission, boolean]>([
  ['reader', 'webhook_read', true],
  ['reader', 'delivery_read', true],
  ['reader', 'webhook_update', false],
  ['reader', 'workspace_test_webhook', false],
  ['reader', 'workspace_publish_alert', false],
  ['editor', 'webhook_delete', true],
  ['editor', 'delivery_redeliver', true],
  ['editor', 'workspace_publish_alert', false],
  ['publisher', 'workspace_publish_alert', true],
  ['publisher', 'workspace_list_webhooks', false],
  ['publisher', 'alert_read', true],
  ['publisher', 'alert_read_all', false],
  ['reader', 'alert_read_all', true],
  ['publisher', 'workspace_dead_letter_read', true],
  ['publisher', 'delivery_read', false],
  ['responder', 'delivery_read', true],
  ['responder', 'delivery_redeliver', true],
  ['responder', 'workspace_dead_letter_read', true],
  ['responder', 'webhook_update', false],
  ['responder', 'workspace_test_webhook', false],
  ['responder', 'workspace_publish_alert', false],
  ['reader', 'workspace_dead_letter_read', false],
  ['reader', 'delivery_redeliver', false],
  ['admin', 'workspace_publish_alert', true],
  ['admin', 'webhook_update', true],
  ['admin', 'dead_letter_read', false],
  ['admin', 'api_key_manage', false],
])(
  'the role %s grants the permission %s in its own workspace (%s) and in no other workspace',
  (role, permission, expected) => {
    expect(hasPermission(caller(role), permission, own)).toBe(expected);
    expect(hasPermission(caller(role), permission, foreign)).toBe(false);
    expect(hasPermission(caller(role), permission, null)).toBe(false);
  },
);

test('a deployment admin has permissions in every workspace, but not in the engine', () => {
  const admin = caller(undefined, 'tocsin_admin');
  expect(hasPermission(admin, 'webhook_update', foreign)).toBe(true);
  expect(hasPermission(admin, 'dead_letter_requeue', null)).toBe(true);
  expect(hasPermission(admin, 'api_key_manage', null)).toBe(false);
});

test('an engine admin has permissions in the engine and in no workspace', () => {
  const admin = caller(undefined, 'tocsin_engine_admin');
  expect(hasPermission(admin, 'api_key_manage', null)).toBe(true);
  expect(hasPermission(admin, 'webhook_read', own)).toBe(false);
});

test('workspace ids are compared without regard to case', () => {
  expect(hasPermission(caller('reader'), 'webhook_read', own.toUpperCase())).toBe(true);
});

test('the error of a forbidden request names the missing permission', () => {
  expect(() => requirePermission(caller('reader'), 'webhook_update', own)).toThrow(
    expect.objectContaining({ code: 'forbidden', detail: expect.stringContaining('webhook_update') }),
  );
});

test('the error says if the permission is missing in the workspace or in the deployment', () => {
  expect(() => requirePermission(caller('reader'), 'webhook_read', own)).not.toThrow();
  const detailOf = (workspaceId: string | null) => {
    try {
      requirePermission(caller('reader'), 'webhook_update', workspaceId);
    } catch (error) {
      return (error as AppError).detail;
    }
    return undefined;
  };
  expect([detailOf(own), detailOf(null)]).toEqual([
    'This needs the permission webhook_update in this workspace.',
    'This needs the permission webhook_update in this deployment.',
  ]);
});

test('whoami shows the caller, its roles by workspace and its deployment roles', () => {
  expect(presentWhoami(caller('editor', 'tocsin_admin'))).toEqual({
    issuer: 'https://id.example',
    subject: 'ada',
    display: 'Ada',
    workspaces: { [own]: ['editor'] },
    deployment_roles: ['tocsin_admin'],
  });
});

test('a principal has the permissions of all its roles', () => {
  const both: Principal = {
    ...caller(),
    workspaceRoles: new Map([[own, new Set(['reader', 'publisher'] as const)]]),
    deploymentRoles: new Set(['tocsin_engine_admin', 'tocsin_admin']),
  };
  const inWorkspace = { ...both, deploymentRoles: new Set<DeploymentRole>() };
  for (const permission of ['webhook_read', 'workspace_publish_alert'] as const)
    expect([permission, hasPermission(inWorkspace, permission, own)]).toEqual([permission, true]);
  for (const permission of ['api_key_manage', 'dead_letter_read'] as const)
    expect([permission, hasPermission(both, permission, null)]).toEqual([permission, true]);
});
