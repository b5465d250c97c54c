import { useState } from 'react';
import { useNavigate } from 'react-router';
import { Permitted, useAlertRuleActions, useWebhooks } from '../api/index.js';
import { usePaths } from '../paths.js';
import { AskBeforeLeaving } from '../shared/ask-before-leaving.js';
import { Button, Card, Failure, Form, LinkButton, Page, useSearch } from '../ui/index.js';
import './alert-rules.css';
import { RuleFields } from './rule-fields.js';
import { emptyRule, isSameForm } from './rule-form.js';
import { useRuleForm } from './use-rule-form.js';

const parameters = ['webhook'] as const;

/**
 * Page that creates a rule. If the address of the page has the id of a webhook, this webhook is attached to the new
 * rule.
 */
export function NewAlertRulePage() {
  return (
    <Page title="New alert rule">
      <Permitted permission="workspace_create_alert_rule" what="Creating an alert rule">
        <NewAlertRule />
      </Permitted>
    </Page>
  );
}

function NewAlertRule() {
  const { values } = useSearch(parameters);
  const { create } = useAlertRuleActions();
  const navigate = useNavigate();
  const paths = usePaths();
  const webhooks = useWebhooks();
  const attached = webhooks.data?.find(({ id }) => id === values.webhook);
  const [form, setForm] = useState(emptyRule);
  const { fields, failure, check, ref } = useRuleForm({ form, onChange: setForm, error: create.error });
  const save = () => {
    const rule = check();
    if (rule === undefined) return;
    create.mutate(
      { ...rule, ...(attached && { notification_webhook_ids: [attached.id] }) },
      { onSuccess: ({ id }) => navigate(paths.alertRule(id), { replace: true }) },
    );
  };
  return (
    <Form ref={ref} onSubmit={save}>
      <Card>
        <RuleFields {...fields} isDisabled={false} />
        <p>
          {attached === undefined
            ? 'Webhooks are attached on the next page.'
            : `It calls the webhook ${attached.name}. Others are attached on the next page.`}
        </p>
      </Card>
      {failure !== null && <Failure error={failure} />}
      <div className="row">
        <Button type="submit" kind="primary" isPending={create.isPending}>
          {create.isPending ? 'Creating …' : 'Create alert rule'}
        </Button>
        <LinkButton to={paths.alertRules()}>Cancel</LinkButton>
      </div>
      <AskBeforeLeaving when={!isSameForm(form, emptyRule)} />
    </Form>
  );
}
