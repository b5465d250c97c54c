import type { AlertRule } from '@tocsin/client/browser';
import { Link } from 'react-router';
import { useAlertRuleActions, useAlertRules, usePermission, useWebhooks } from '../api/index.js';
import { usePaths } from '../paths.js';
import { ListPage, RowCount } from '../shared/list-page.js';
import {
  AddressField,
  type Column,
  Failure,
  StatusChip,
  SwitchField,
  Table,
  useNow,
  useSearch,
} from '../ui/index.js';
import './alert-rules.css';
import { conditionOf } from './rule-form.js';

const filters = ['q'] as const;

export function AlertRulesPage() {
  const rules = useAlertRules();
  const paths = usePaths();
  return (
    <ListPage
      title="Alert rules"
      lead="A rule names the webhooks to call when its alert fires."
      kind="alert rule"
      query={rules}
      permissions={{ list: 'workspace_list_alert_rules', create: 'workspace_create_alert_rule' }}
      newPath={paths.newAlertRule()}
      firstSteps="Create a rule, attach webhooks to it, and fire a test alert."
    >
      {(all) => <AlertRules all={all} />}
    </ListPage>
  );
}

function AlertRules({ all }: { all: readonly AlertRule[] }) {
  const { values, set } = useSearch(filters);
  const { q = '' } = values;
  const wanted = q.trim().toLowerCase();
  const rows = all.filter(({ name, model_id }) => `${name} ${model_id}`.toLowerCase().includes(wanted));
  return (
    <>
      <div className="list-filters">
        <AddressField
          label="Search by name or model"
          type="search"
          value={q}
          onChange={(text) => set({ q: text })}
        />
      </div>
      <RowCount found={rows.length} total={all.length} kind="rule" />
      <RuleTable rows={rows} />
    </>
  );
}

function RuleTable({ rows }: { rows: readonly AlertRule[] }) {
  const paths = usePaths();
  const webhooks = useWebhooks();
  const update = usePermission('alert_rule_update');
  const actions = useAlertRuleActions();
  const now = useNow();
  const names = new Map(webhooks.data?.map(({ id, name }) => [id, name]));
  const columns: Column<AlertRule>[] = [
    {
      header: 'Name',
      width: 'minmax(10rem, 3fr)',
      narrow: 'line',
      cell: ({ id, name, silenced_until: until }) => (
        <>
          <Link to={paths.alertRule(id)}>{name}</Link>
          {until !== null && Date.parse(until) > now && (
            <>
              {' '}
              <StatusChip tone="wait">Silenced</StatusChip>
            </>
          )}
        </>
      ),
    },
    { header: 'Fires', width: 'minmax(6rem, 1fr)', narrow: 'label', cell: conditionOf },
    {
      header: 'Webhooks',
      width: 'minmax(10rem, 3fr)',
      narrow: 'label',
      cell: ({ notification_webhook_ids: ids }) => <WebhookNames ids={ids} names={names} />,
    },
    {
      header: 'Enabled',
      width: '9rem',
      narrow: 'last',
      cell: ({ id, name, enabled }) => (
        <SwitchField
          label={enabled ? 'On' : 'Off'}
          accessibleLabel={`${name} is enabled`}
          isSelected={enabled}
          isDisabled={!update.allowed || actions.update.isPending}
          isSaving={actions.update.isPending && actions.update.variables.id === id}
          onChange={(isOn) => actions.update.mutate({ id, changes: { enabled: isOn } })}
        />
      ),
    },
  ];
  return (
    <>
      {actions.update.error !== null && <Failure error={actions.update.error} />}
      <Table label="Alert rules" columns={columns} rows={rows} rowKey={({ id }) => id} />
    </>
  );
}

/** Maximum number of webhook names that one row of the list of rules shows. The page of a rule shows all names. */
const maxNames = 3;

function WebhookNames({ ids, names }: { ids: readonly string[]; names: ReadonlyMap<string, string> }) {
  if (ids.length === 0) return <span className="muted">none, so nothing is sent</span>;
  const shown = ids.slice(0, maxNames).map((id) => names.get(id) ?? id.slice(0, 8));
  return `${shown.join(', ')}${ids.length > maxNames ? ` and ${ids.length - maxNames} more` : ''}`;
}
