import type { AlertRule } from '@tocsin/client/browser';
import { useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { Permitted, useAlertRule, useAlertRuleActions, usePermission } from '../api/index.js';
import { usePaths } from '../paths.js';
import { HoldUntil } from '../shared/hold-until.js';
import {
  Button,
  Card,
  ConfirmButton,
  Failure,
  LinkButton,
  Loading,
  Notice,
  Page,
  SwitchField,
} from '../ui/index.js';
import './alert-rules.css';
import { AttachedWebhooks } from './attached-webhooks.js';
import { FireTestAlert } from './fire-test-alert.js';
import { ruleErrorsOf } from './new-alert-rule-page.js';
import { RuleFields } from './rule-fields.js';
import { changedFields, conditionOf, fromRuleForm, type RuleFieldErrors, toRuleForm } from './rule-form.js';

export function AlertRulePage() {
  const { alertRuleId = '' } = useParams();
  const { data } = useAlertRule(alertRuleId);
  return (
    <Page
      title={data?.name ?? 'Alert rule'}
      lead={data && `Fires when the metric is ${conditionOf(data)}.`}
      actions={data && <DeleteRule rule={data} />}
    >
      <Permitted permission="alert_rule_read" what="This alert rule">
        <Rule alertRuleId={alertRuleId} key={alertRuleId} />
      </Permitted>
    </Page>
  );
}

function Rule({ alertRuleId }: { alertRuleId: string }) {
  const { data, error, refetch } = useAlertRule(alertRuleId);
  const canReadAudit = usePermission('audit_read').allowed;
  const paths = usePaths();
  return (
    <>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Loading what="the alert rule" />}
      {data !== undefined && (
        <>
          <AttachedWebhooks rule={data} />
          <FireTestAlert rule={data} />
          <RuleSettings rule={data} key={data.updated_at} />
          <div className="row">
            <LinkButton to={paths.alerts({ alert_rule_id: alertRuleId })}>Alerts of this rule</LinkButton>
            <LinkButton to={paths.deliveries({ alert_rule_id: alertRuleId })}>
              Deliveries of this rule
            </LinkButton>
            {canReadAudit && (
              <LinkButton to={paths.audit({ resource_id: alertRuleId })}>Changes of this rule</LinkButton>
            )}
          </div>
        </>
      )}
    </>
  );
}

function RuleSettings({ rule }: { rule: AlertRule }) {
  const [form, setForm] = useState(() => toRuleForm(rule));
  const [errors, setErrors] = useState<RuleFieldErrors>({});
  const permission = usePermission('alert_rule_update');
  const { update } = useAlertRuleActions();
  const refused = ruleErrorsOf(update.error);
  const isSaving = (field: string) => update.isPending && field in update.variables.changes;
  const save = () => {
    const result = fromRuleForm(form);
    if ('errors' in result) return setErrors(result.errors);
    setErrors({});
    update.mutate({ id: rule.id, changes: changedFields(rule, result.fields) });
  };
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
        onChange={(enabled) => update.mutate({ id: rule.id, changes: { enabled } })}
      />
      <HoldUntil
        action="Silence"
        endAction="End the silence"
        effect="Alerts are only recorded during a silence."
        until={rule.silenced_until}
        isPending={isSaving('silenced_until')}
        onChange={
          permission.allowed
            ? (silenced_until) => update.mutate({ id: rule.id, changes: { silenced_until } })
            : undefined
        }
      />
      <form
        className="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <RuleFields
          form={form}
          errors={{ ...refused, ...errors }}
          isDisabled={!permission.allowed}
          onChange={setForm}
        />
        {update.error !== null && refused === undefined && <Failure error={update.error} />}
        {refused?.other !== undefined && <Failure error={new Error(refused.other)} />}
        {permission.allowed && (
          <div>
            <Button type="submit" isPending={update.isPending}>
              {update.isPending ? 'Saving …' : 'Save'}
            </Button>
          </div>
        )}
      </form>
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
    <>
      <ConfirmButton
        kind="danger"
        title={`Delete “${name}”?`}
        question="Its further alerts are recorded, and nothing is sent. The records of its deliveries stay."
        action="Delete"
        isPending={remove.isPending}
        onConfirm={() => remove.mutate(id, { onSuccess: () => navigate(paths.alertRules()) })}
      >
        Delete
      </ConfirmButton>
      {remove.error !== null && <Failure error={remove.error} />}
    </>
  );
}
