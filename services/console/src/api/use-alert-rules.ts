import { useWorkspaceQuery } from './workspace-query.js';

/** Fetches all alert rules of the workspace (at most 10,000 with the default of `ALERT_RULES_PER_WORKSPACE`). */
export function useAlertRules() {
  return useWorkspaceQuery({
    permission: 'workspace_list_alert_rules',
    key: ['alert-rules'],
    fetch: (client, options) => client.alertRules.list(undefined, options).toArray(),
    staleTime: 30_000,
  });
}
