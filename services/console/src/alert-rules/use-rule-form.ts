import { useState } from 'react';
import { useFocusInvalid } from '../ui/index.js';
import {
  fromRuleForm,
  type RuleFieldErrors,
  type RuleForm,
  type RuleFormFields,
  toRuleErrors,
} from './rule-form.js';

export interface RuleFormOptions {
  form: RuleForm;
  onChange(form: RuleForm): void;
  /** Error of the latest request that saved the rule, or null if there is none. */
  error: Error | null;
}

/**
 * Errors of a form for an alert rule by field, and a function that checks the form. The caller keeps the typed texts.
 */
export function useRuleForm({ form, onChange, error }: RuleFormOptions) {
  const [errors, setErrors] = useState<RuleFieldErrors>({});
  const ref = useFocusInvalid<HTMLFormElement>(errors, error);
  const refused = ruleErrorsOf(error);
  const check = (): RuleFormFields | undefined => {
    const result = fromRuleForm(form);
    setErrors('errors' in result ? result.errors : {});
    return 'fields' in result ? result.fields : undefined;
  };
  return {
    /** Props of `RuleFields`. */
    fields: { form, errors: { ...refused, ...errors }, onChange },
    /** The part of `error` that belongs to no field of the form, or null. */
    failure: refused === undefined ? error : otherError(refused),
    /** Returns the fields of a request, or shows the errors of the form and returns undefined. */
    check,
    /** Ref of the `Form` that contains the fields. */
    ref,
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
