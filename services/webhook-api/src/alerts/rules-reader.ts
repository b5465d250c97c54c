import type { Database } from '@tocsin/database';

export interface RulesReader {
  /** Reads the rules and webhooks that alerts name, in one statement, to check them before alerts are published. */
  findRules(wanted: {
    workspaceId: string;
    alertRuleIds: string[];
    /** Ids of the webhooks of the rules that the alerts themselves contain. */
    webhookIds: string[];
  }): Promise<RulesOfAlerts>;
}

export interface RulesOfAlerts {
  /** Workspace id by rule id. Deleted rules are included; unregistered ids are missing. */
  workspaceIds: Record<string, string>;
  /** The requested webhook ids that exist in the workspace. */
  knownWebhookIds: string[];
}

export function createRulesReader(database: Database): RulesReader {
  return {
    async findRules({ workspaceId, alertRuleIds, webhookIds }) {
      const values = [workspaceId, alertRuleIds, webhookIds];
      const [found] = await database.prepared<RulesOfAlerts>(findRules, values);
      return found!;
    },
  };
}

const findRules = {
  name: 'alerts.find-rules',
  text: `
    select (select coalesce(json_object_agg(id, workspace_id), '{}') from alert_rules
            where id = any($2::uuid[])) as "workspaceIds",
           array(select id::text from webhooks where workspace_id = $1 and id = any($3::uuid[]))
             as "knownWebhookIds"`,
};
