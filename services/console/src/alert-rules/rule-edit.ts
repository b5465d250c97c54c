import type { AlertRule, Tagged } from '@tocsin/client/browser';
import { formFields, type RuleForm, toRuleForm } from './rule-form.js';

/** Returns the fields of `form` that differ from `before`, and the fields of `after` for the rest. */
export function mergeForms(
  form: RuleForm,
  { before, after }: { before: RuleForm; after: RuleForm },
): RuleForm {
  const edited = formFields.filter((field) => form[field] !== before[field]);
  return { ...after, ...Object.fromEntries(edited.map((field) => [field, form[field]])) };
}

/** Settings of a rule that a user edits. `base` is the version from which they were edited. */
export interface RuleEdit {
  readonly base: Tagged<AlertRule>;
  readonly form: RuleForm;
}

export function startEdit(rule: Tagged<AlertRule>): RuleEdit {
  return { base: rule, form: toRuleForm(rule) };
}

/**
 * Moves an edit to another version of the rule: fields that the user has not edited show the values of this version. If
 * the version changed a field that the user edited, the edit is returned unchanged, so that saving it with the ETag of
 * its base is a conflict.
 */
export function moveEdit(edit: RuleEdit, rule: Tagged<AlertRule>): RuleEdit {
  const before = toRuleForm(edit.base);
  const after = toRuleForm(rule);
  const conflicts = formFields.filter(
    (field) =>
      edit.form[field] !== before[field] &&
      after[field] !== before[field] &&
      edit.form[field] !== after[field],
  );
  return conflicts.length > 0 ? edit : { base: rule, form: mergeForms(edit.form, { before, after }) };
}
