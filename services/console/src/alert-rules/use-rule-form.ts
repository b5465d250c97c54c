import { useState } from 'react';
import {
  fromRuleForm,
  type RuleFieldErrors,
  type RuleForm,
  type RuleFormFields,
  toRuleErrors,
} from './rule-form.js';

export interface RuleFormOptions {
  initial: RuleForm;
  /** Error of the latest request that saved the rule, or null if there is none. */
  error: Error | null;
  /** Called with the fields of a valid form when the user saves it. */
  onSave(fields: RuleFormFields): void;
}

/**
 * State of a form for an alert rule: the typed texts, the errors of each field, and a function that saves the rule.
 */
export function useRuleForm({ initial, error, onSave }: RuleFormOptions) {
  const [form, setForm] = useState(initial);
  const [errors, setErrors] = useState<RuleFieldErrors>({});
  const refused = ruleErrorsOf(error);
  const save = () => {
    const result = fromRuleForm(form);
    if ('errors' in result) return setErrors(result.errors);
    setErrors({});
    onSave(result.fields);
  };
  return {
    /** Props of `RuleFields`. */
    fields: { form, errors: { ...refused, ...errors }, onChange: setForm },
    /** The part of `error` that belongs to no field of the form, or null. */
    failure: refused === undefined ? error : otherError(refused),
    save,
  };
}

/** Returns the validation errors of a rejected request by form field, or undefined for any other error. */
function ruleErrorsOf(error: Error | null): RuleFieldErrors | undefined {
  const { code, errors } = (error ?? {}) as {
    code?: string;
    errors?: readonly { path: string; message: string }[];
  };
  return code === 'validation_failed' && errors !== undefined ? toRuleErrors(errors) : undefined;
}

function otherError({ other }: RuleFieldErrors): Error | null {
  return other === undefined ? null : new Error(other);
}
