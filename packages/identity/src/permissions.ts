/** Permissions of the role reader. An operation of the API needs at most one permission. */
const readerPermissions = [
  'workspace_list_webhooks',
  'webhook_read',
  'workspace_list_alert_rules',
  'alert_rule_read',
  'alert_read',
  'alert_read_all',
  'delivery_read',
  'workspace_read_settings',
] as const;

const responderPermissions = [
  ...readerPermissions,
  'delivery_redeliver',
  'workspace_dead_letter_read',
] as const;

const editorPermissions = [
  ...responderPermissions,
  'workspace_test_webhook',
  'workspace_create_webhook',
  'webhook_update',
  'webhook_delete',
  'workspace_create_alert_rule',
  'alert_rule_update',
  'alert_rule_delete',
] as const;

/**
 * A publisher can also read the state of its alerts. Without `alert_read_all`, it sees only the alerts that it has
 * published over REST.
 */
const publisherPermissions = [
  'workspace_publish_alert',
  'alert_read',
  'workspace_dead_letter_read',
  'workspace_read_settings',
] as const;

const workspaceAdminPermissions = [
  ...editorPermissions,
  ...publisherPermissions,
  'workspace_update_settings',
  'audit_read',
] as const;

const deploymentAdminPermissions = [
  ...workspaceAdminPermissions,
  'dead_letter_read',
  'dead_letter_requeue',
] as const;

const engineAdminPermissions = ['api_key_manage'] as const;

export type Permission = (typeof deploymentAdminPermissions | typeof engineAdminPermissions)[number];

/** Roles in one workspace. */
export const workspaceRoles = {
  reader: new Set<Permission>(readerPermissions),
  responder: new Set<Permission>(responderPermissions),
  editor: new Set<Permission>(editorPermissions),
  publisher: new Set<Permission>(publisherPermissions),
  admin: new Set<Permission>(workspaceAdminPermissions),
} as const;

/** Roles of the whole installation: `tocsin_admin` for every workspace, `tocsin_engine_admin` for engine keys. */
export const deploymentRoles = {
  tocsin_admin: new Set<Permission>(deploymentAdminPermissions),
  tocsin_engine_admin: new Set<Permission>(engineAdminPermissions),
} as const;

export type WorkspaceRole = keyof typeof workspaceRoles;
export type DeploymentRole = keyof typeof deploymentRoles;
