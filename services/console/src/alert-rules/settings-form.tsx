import type { AlertRule, Tagged } from '@tocsin/client/browser';
import { useState } from 'react';
import { asConflict, useAlertRuleActions } from '../api/index.js';
import { AskBeforeLeaving } from '../shared/ask-before-leaving.js';
import { ConflictNotice } from '../shared/conflict-notice.js';
import { Button, Failure, Form } from '../ui/index.js';
import { mergeForms, moveEdit, startEdit } from './rule-edit.js';
import { RuleFields } from './rule-fields.js';
import { changedFields, isSameForm, toRuleForm } from './rule-form.js';
import { useRuleForm } from './use-rule-form.js';

export interface SettingsFormProps {
  rule: Tagged<AlertRule>;
  isDisabled: boolean;
  /** True while another control of the page changes the rule. Saving at this time would be a conflict. */
  isChanging: boolean;
}

/**
 * Form for the settings of a rule. A new version of the rule, for example after the rule was disabled, does not
 * overwrite fields that the user has edited.
 */
export function SettingsForm({ rule, isDisabled, isChanging }: SettingsFormProps) {
  const [edited, setEdited] = useState(() => startEdit(rule));
  const { update } = useAlertRuleActions();
  const { base, form } = moveEdit(edited, rule);
  const conflict = asConflict<AlertRule>(update.error);
  const { fields, failure, check, ref } = useRuleForm({
    form,
    onChange: (changed) => setEdited({ base, form: changed }),
    error: conflict === undefined ? update.error : null,
  });
  const save = (seen: string | undefined) => {
    const values = check();
    if (values === undefined) return;
    setEdited({ base, form });
    // Fields that the user edits during the request stay as typed.
    const onSuccess = (saved: Tagged<AlertRule>) =>
      setEdited((now) => ({
        base: saved,
        form: mergeForms(now.form, { before: form, after: toRuleForm(saved) }),
      }));
    update.mutate({ id: rule.id, changes: changedFields(base, values), seen }, { onSuccess });
  };
  return (
    <Form ref={ref} onSubmit={() => save(base.etag)}>
      <RuleFields {...fields} isDisabled={isDisabled} />
      {failure !== null && <Failure error={failure} />}
      {conflict !== undefined && (
        <ConflictNotice
          conflict={conflict}
          onOverwrite={() => save(undefined)}
          onDiscard={() => {
            setEdited(startEdit(rule));
            update.reset();
          }}
        />
      )}
      {!isDisabled && (
        <div>
          <Button type="submit" isPending={update.isPending || isChanging}>
            {update.isPending ? 'Saving …' : 'Save'}
          </Button>
        </div>
      )}
      <AskBeforeLeaving when={!isSameForm(form, toRuleForm(base))} />
    </Form>
  );
}
