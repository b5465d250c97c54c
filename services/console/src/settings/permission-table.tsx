import type { Permission } from '@tocsin/identity/browser';
import { checkPermission, grantingRoles, useWhoami } from '../api/index.js';
import { useWorkspaceId } from '../paths.js';
import { Loading, StatusChip } from '../ui/index.js';

/**
 * Label of each permission. `api_key_manage` is missing, because API keys are managed on the command line and not in
 * the console.
 */
const permissionWords: Readonly<Record<Exclude<Permission, 'api_key_manage'>, string>> = {
  workspace_list_webhooks: 'See the webhooks',
  webhook_read: 'Open a webhook',
  workspace_create_webhook: 'Create webhooks',
  webhook_update: 'Change webhooks and see their secrets',
  webhook_delete: 'Delete webhooks',
  workspace_test_webhook: 'Send tests',
  workspace_list_alert_rules: 'See the alert rules',
  alert_rule_read: 'Open an alert rule',
  workspace_create_alert_rule: 'Create alert rules',
  alert_rule_update: 'Change alert rules',
  alert_rule_delete: 'Delete alert rules',
  workspace_publish_alert: 'Fire alerts',
  alert_read: 'See the alerts that you published over the API',
  alert_read_all: 'See all alerts',
  delivery_read: 'See deliveries',
  delivery_redeliver: 'Redeliver, dispatch and cancel',
  workspace_dead_letter_read: 'See dead letters of the workspace',
  workspace_read_settings: 'See the settings',
  workspace_update_settings: 'Change the settings',
  audit_read: 'See who changed what',
  dead_letter_read: 'See all dead letters',
  dead_letter_requeue: 'Requeue dead letters',
};

export function PermissionTable() {
  const { data } = useWhoami();
  const workspaceId = useWorkspaceId();
  if (data === undefined) return <Loading what="your permissions" />;
  return (
    <table className="plain">
      <thead>
        <tr>
          <th scope="col">Action</th>
          <th scope="col">You</th>
          <th scope="col">Roles with this permission</th>
        </tr>
      </thead>
      <tbody>
        {Object.entries(permissionWords).map(([permission, words]) => (
          <tr key={permission}>
            <th scope="row">{words}</th>
            <td>
              {checkPermission(data, permission as Permission, workspaceId).allowed ? (
                <StatusChip tone="good">yes</StatusChip>
              ) : (
                <StatusChip tone="muted">no</StatusChip>
              )}
            </td>
            <td className="muted">{grantingRoles(permission as Permission).join(', ')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
