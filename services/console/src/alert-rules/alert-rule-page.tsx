import type { AlertRule, PatchAlertRule, Tagged } from '@tocsin/client/browser';
import { useNavigate, useParams } from 'react-router';
import { useAlertRule, useAlertRuleActions, usePermission } from '../api/index.js';
import { usePaths } from '../paths.js';
import { DeleteButton } from '../shared/delete-button.js';
import { PauseOrSilence } from '../shared/pause-or-silence.js';
import { RecordPage } from '../shared/record-page.js';
import { Card, Failure, LinkButton, Notice, type PageHead, SwitchField } from '../ui/index.js';
import './alert-rules.css';
import { AttachedWebhooks } from './attached-webhooks.js';
import { FireTestAlert } from './fire-test-alert.js';
import { conditionOf } from './rule-form.js';
import { SettingsForm } from './settings-form.js';

export function AlertRulePage() {
  const { alertRuleId = '' } = useParams();
  return (
    <RecordPage kind="alert rule" query={useAlertRule(alertRuleId)} head={headOf}>
      {(rule) => <Rule rule={rule} key={rule.id} />}
    </RecordPage>
  );
}

function headOf(rule: Tagged<AlertRule>): PageHead {
  const lead = `Fires when the metric is ${conditionOf(rule)}.`;
  return { title: rule.name, lead, actions: <DeleteRule rule={rule} /> };
}

function Rule({ rule }: { rule: Tagged<AlertRule> }) {
  const canReadAudit = usePermission('audit_read').allowed;
  const paths = usePaths();
  return (
    <>
      <AttachedWebhooks rule={rule} />
      <FireTestAlert rule={rule} />
      <RuleSettings rule={rule} />
      <div className="row">
        <LinkButton to={paths.alerts({ alert_rule_id: rule.id })}>Alerts of this rule</LinkButton>
        <LinkButton to={paths.deliveries({ alert_rule_id: rule.id })}>Deliveries of this rule</LinkButton>
        {canReadAudit && (
          <LinkButton to={paths.audit({ resource_id: rule.id })}>Changes of this rule</LinkButton>
        )}
      </div>
    </>
  );
}

function RuleSettings({ rule }: { rule: Tagged<AlertRule> }) {
  const permission = usePermission('alert_rule_update');
  const { update } = useAlertRuleActions();
  const isSaving = (field: string) => update.isPending && field in update.variables.changes;
  const change = (changes: PatchAlertRule) => update.mutate({ id: rule.id, changes });
  return (
    <Card title="Settings">
      {!permission.allowed && (
        <Notice>{`Changing this rule is not available to you. ${permission.reason}`}</Notice>
      )}
      <SwitchField
        label={rule.enabled ? 'Enabled' : 'Disabled: its alerts are recorded, and nothing is sent'}
        isSelected={rule.enabled}
        isDisabled={!permission.allowed || update.isPending}
        isSaving={isSaving('enabled')}
        onChange={(enabled) => change({ enabled })}
      />
      <PauseOrSilence
        kind="silence"
        until={rule.silenced_until}
        isPending={isSaving('silenced_until')}
        onChange={permission.allowed ? (silenced_until) => change({ silenced_until }) : undefined}
      />
      {update.error !== null && <Failure error={update.error} />}
      <SettingsForm rule={rule} isDisabled={!permission.allowed} isChanging={update.isPending} />
    </Card>
  );
}

function DeleteRule({ rule: { id, name } }: { rule: AlertRule }) {
  const { allowed } = usePermission('alert_rule_delete');
  const { remove } = useAlertRuleActions();
  const navigate = useNavigate();
  const paths = usePaths();
  if (!allowed) return null;
  return (
    <DeleteButton
      name={name}
      effect="Its further alerts are recorded, and nothing is sent. The records of its deliveries stay."
      deletion={remove}
      onConfirm={() =>
        remove.mutate(id, { onSuccess: () => navigate(paths.alertRules(), { replace: true }) })
      }
    />
  );
}
