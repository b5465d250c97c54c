import { deploymentRoles, workspaceRoles } from './permissions.js';

// This table is independent of the lists in the code, so that an unintended change of a list fails the test.

/** Roles that have each permission. */
const rolesByPermission = {
  alert_read: 'reader responder editor publisher admin tocsin_admin',
  alert_read_all: 'reader responder editor admin tocsin_admin',
  alert_rule_delete: 'editor admin tocsin_admin',
  alert_rule_read: 'reader responder editor admin tocsin_admin',
  alert_rule_update: 'editor admin tocsin_admin',
  api_key_manage: 'tocsin_engine_admin',
  audit_read: 'admin tocsin_admin',
  dead_letter_read: 'tocsin_admin',
  dead_letter_requeue: 'tocsin_admin',
  delivery_read: 'reader responder editor admin tocsin_admin',
  delivery_redeliver: 'responder editor admin tocsin_admin',
  webhook_delete: 'editor admin tocsin_admin',
  webhook_read: 'reader responder editor admin tocsin_admin',
  webhook_update: 'editor admin tocsin_admin',
  workspace_create_alert_rule: 'editor admin tocsin_admin',
  workspace_create_webhook: 'editor admin tocsin_admin',
  workspace_dead_letter_read: 'responder editor publisher admin tocsin_admin',
  workspace_list_alert_rules: 'reader responder editor admin tocsin_admin',
  workspace_list_webhooks: 'reader responder editor admin tocsin_admin',
  workspace_publish_alert: 'publisher admin tocsin_admin',
  workspace_read_settings: 'reader responder editor publisher admin tocsin_admin',
  workspace_test_webhook: 'editor admin tocsin_admin',
  workspace_update_settings: 'admin tocsin_admin',
};

test.each(Object.entries({ ...workspaceRoles, ...deploymentRoles }))(
  'the role %s has exactly the permissions of the table in this test',
  (role, permissions) => {
    const expected = Object.entries(rolesByPermission)
      .filter(([, roles]) => roles.split(' ').includes(role))
      .map(([permission]) => permission);
    expect([...permissions].sort()).toEqual(expected);
  },
);

test('the roles of workspaces and of the deployment are exactly the roles that this test lists', () => {
  expect(Object.keys(workspaceRoles)).toEqual(['reader', 'responder', 'editor', 'publisher', 'admin']);
  expect(Object.keys(deploymentRoles)).toEqual(['tocsin_admin', 'tocsin_engine_admin']);
});
