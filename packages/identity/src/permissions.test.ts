import { deploymentRoles, workspaceRoles } from './permissions.js';

// This list is independent of the table in the code, so that an unintended change of the table fails the test.

const inWorkspace = {
  reader: [
    'alert_read',
    'alert_read_all',
    'alert_rule_read',
    'delivery_read',
    'webhook_read',
    'workspace_list_alert_rules',
    'workspace_list_webhooks',
    'workspace_read_settings',
  ],
  responder: [
    'alert_read',
    'alert_read_all',
    'alert_rule_read',
    'delivery_read',
    'delivery_redeliver',
    'webhook_read',
    'workspace_dead_letter_read',
    'workspace_list_alert_rules',
    'workspace_list_webhooks',
    'workspace_read_settings',
  ],
  editor: [
    'alert_read',
    'alert_read_all',
    'alert_rule_delete',
    'alert_rule_read',
    'alert_rule_update',
    'delivery_read',
    'delivery_redeliver',
    'webhook_delete',
    'webhook_read',
    'webhook_update',
    'workspace_create_alert_rule',
    'workspace_create_webhook',
    'workspace_dead_letter_read',
    'workspace_list_alert_rules',
    'workspace_list_webhooks',
    'workspace_read_settings',
    'workspace_test_webhook',
  ],
  publisher: [
    'alert_read',
    'workspace_dead_letter_read',
    'workspace_publish_alert',
    'workspace_read_settings',
  ],
  admin: [
    'alert_read',
    'alert_read_all',
    'alert_rule_delete',
    'alert_rule_read',
    'alert_rule_update',
    'audit_read',
    'delivery_read',
    'delivery_redeliver',
    'webhook_delete',
    'webhook_read',
    'webhook_update',
    'workspace_create_alert_rule',
    'workspace_create_webhook',
    'workspace_dead_letter_read',
    'workspace_list_alert_rules',
    'workspace_list_webhooks',
    'workspace_publish_alert',
    'workspace_read_settings',
    'workspace_test_webhook',
    'workspace_update_settings',
  ],
};

const inDeployment = {
  tocsin_admin: [
    'alert_read',
    'alert_read_all',
    'alert_rule_delete',
    'alert_rule_read',
    'alert_rule_update',
    'audit_read',
    'dead_letter_read',
    'dead_letter_requeue',
    'delivery_read',
    'delivery_redeliver',
    'webhook_delete',
    'webhook_read',
    'webhook_update',
    'workspace_create_alert_rule',
    'workspace_create_webhook',
    'workspace_dead_letter_read',
    'workspace_list_alert_rules',
    'workspace_list_webhooks',
    'workspace_publish_alert',
    'workspace_read_settings',
    'workspace_test_webhook',
    'workspace_update_settings',
  ],
  tocsin_engine_admin: ['api_key_manage'],
};

const listed = (roles: Record<string, ReadonlySet<string>>) =>
  Object.fromEntries(Object.entries(roles).map(([role, permissions]) => [role, [...permissions].sort()]));

test('each workspace role has exactly the listed permissions', () => {
  expect(listed(workspaceRoles)).toEqual(inWorkspace);
});

test('each deployment role has exactly the listed permissions', () => {
  expect(listed(deploymentRoles)).toEqual(inDeployment);
});
