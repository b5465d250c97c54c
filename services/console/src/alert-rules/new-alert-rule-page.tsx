import { useState } from 'react';
import { useNavigate } from 'react-router';
import { Permitted, useAlertRuleActions, useWebhooks } from '../api/index.js';
import { usePaths } from '../paths.js';
import { Button, Card, Failure, LinkButton, Page, useSearch } from '../ui/index.js';
import './alert-rules.css';
import { RuleFields } from './rule-fields.js';
import { emptyRule, fromRuleForm, type RuleFieldErrors, toRuleErrors } from './rule-form.js';

const parameters = ['webhook'] as const;

/** Creates a rule. If the address names a webhook, the rule starts with that webhook attached. */
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
  const [form, setForm] = useState(emptyRule);
  const [errors, setErrors] = useState<RuleFieldErrors>({});
  const { values } = useSearch(parameters);
  const { create } = useAlertRuleActions();
  const navigate = useNavigate();
  const paths = usePaths();
  const webhooks = useWebhooks();
  const attached = webhooks.data?.find(({ id }) => id === values.webhook);
  const save = () => {
    const result = fromRuleForm(form);
    if ('errors' in result) return setErrors(result.errors);
    setErrors({});
    const rule = { ...result.fields, ...(attached && { notification_webhook_ids: [attached.id] }) };
    create.mutate(rule, { onSuccess: ({ id }) => navigate(paths.alertRule(id)) });
  };
  const refused = ruleErrorsOf(create.error);
  return (
    <form
      className="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <Card>
        <RuleFields form={form} errors={{ ...refused, ...errors }} isDisabled={false} onChange={setForm} />
        <p>
          {attached === undefined
            ? 'Webhooks are attached on the next page.'
            : `It calls the webhook ${attached.name}. Others are attached on the next page.`}
        </p>
      </Card>
      {create.error !== null && refused === undefined && <Failure error={create.error} />}
      {refused?.other !== undefined && <Failure error={new Error(refused.other)} />}
      <div className="row">
        <Button type="submit" kind="primary" isPending={create.isPending}>
          {create.isPending ? 'Creating …' : 'Create alert rule'}
        </Button>
        <LinkButton to={paths.alertRules()}>Cancel</LinkButton>
      </div>
    </form>
  );
}

/** Returns the validation errors of a rejected request by form field, or undefined for any other error. */
export function ruleErrorsOf(error: Error | null): RuleFieldErrors | undefined {
  const { code, errors } = (error ?? {}) as {
    code?: string;
    errors?: readonly { path: string; message: string }[];
  };
  return code === 'validation_failed' && errors !== undefined ? toRuleErrors(errors) : undefined;
}
