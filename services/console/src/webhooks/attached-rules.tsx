import type { AlertRule, Webhook } from '@tocsin/client/browser';
import { Link } from 'react-router';
import { useAlertRuleActions, useAlertRules, usePermission } from '../api/index.js';
import { usePaths } from '../paths.js';
import { AttachList } from '../shared/attach-list.js';
import { Card, Failure, LinkButton, Loading, Notice } from '../ui/index.js';

/** Lists the alert rules to which a webhook is attached, and the other rules, to which users can attach it. */
export function AttachedRules({ webhook }: { webhook: Webhook }) {
  const rules = useAlertRules();
  const update = usePermission('alert_rule_update');
  const { attach } = useAlertRuleActions();
  const paths = usePaths();
  if (rules.data === undefined) {
    return (
      <Card title="Alert rules">
        {rules.error === null ? <Loading what="alert rules" /> : <Failure error={rules.error} />}
      </Card>
    );
  }
  const isAttached = (rule: AlertRule) => rule.notification_webhook_ids.includes(webhook.id);
  const attached = rules.data.filter(isAttached);
  const others = rules.data.filter((rule) => !isAttached(rule));
  const names = new Map(rules.data.map(({ id, name }) => [id, name]));
  return (
    <Card title="Alert rules">
      {attached.length === 0 && (
        <p>
          {others.length === 0
            ? 'No alert rule exists yet. A webhook is called when an alert of a rule fires.'
            : 'No alert rule calls this webhook yet.'}
        </p>
      )}
      {!update.allowed && <Notice>{`Attaching is not available to you. ${update.reason}`}</Notice>}
      {attach.error !== null && <Failure error={attach.error} />}
      <AttachList
        things="alert rules"
        attached={attached.map(toEntry)}
        others={others.map(toEntry)}
        linkTo={(id) => <Link to={paths.alertRule(id)}>{names.get(id)}</Link>}
        pendingId={attach.isPending ? attach.variables.ruleId : undefined}
        onChange={
          update.allowed
            ? (ruleId, isAttached) => attach.mutate({ ruleId, webhookId: webhook.id, attach: isAttached })
            : undefined
        }
      />
      {update.allowed && (
        <p>
          <LinkButton to={paths.newAlertRule({ webhook: webhook.id })}>New alert rule</LinkButton>
        </p>
      )}
    </Card>
  );
}

function toEntry({ id, name, enabled }: AlertRule) {
  return { id, name, ...(enabled ? {} : { detail: 'disabled' }) };
}
