import { useAlertRules } from '../api/index.js';
import { Button, SelectField, TextField } from '../ui/index.js';
import type { RuleFieldErrors, RuleForm } from './rule-form.js';

export interface RuleFieldsProps {
  form: RuleForm;
  errors: RuleFieldErrors;
  isDisabled: boolean;
  onChange(form: RuleForm): void;
}

/** Form fields for the name, the model and the condition of a rule. */
export function RuleFields({ form, errors, isDisabled, onChange }: RuleFieldsProps) {
  /** Returns the props that connect a text field to the form. */
  const field = (name: Exclude<keyof RuleForm, 'bound'>) => ({
    value: form[name],
    error: errors[name],
    isDisabled,
    onChange: (text: string) => onChange({ ...form, [name]: text }),
  });
  return (
    <>
      <TextField label="Name" {...field('name')} />
      <ModelField {...field('modelId')} />
      <div className="condition">
        <SelectField
          label="The metric is"
          value={form.bound}
          isDisabled={isDisabled}
          options={[
            { value: 'upper_bound', label: 'above the threshold' },
            { value: 'lower_bound', label: 'below the threshold' },
          ]}
          onChange={(bound) => onChange({ ...form, bound: bound as RuleForm['bound'] })}
        />
        <TextField label="Threshold" inputMode="decimal" placeholder="0.9" {...field('threshold')} />
        <TextField
          label="Cooldown in seconds"
          description="Time after a sent alert in which further alerts are only recorded. Empty: no cooldown."
          inputMode="numeric"
          {...field('cooldownSeconds')}
        />
        <TextField
          label="External id"
          description="Optional. Your own id for the rule, used in files and scripts."
          {...field('externalId')}
        />
      </div>
    </>
  );
}

type ModelFieldProps = {
  value: string;
  error: string | undefined;
  isDisabled: boolean;
  onChange(id: string): void;
};

/**
 * Text field for a model id. It suggests the models of existing rules. While it is empty, a button can fill in a random
 * id for a first test.
 */
function ModelField({ value, error, isDisabled, onChange }: ModelFieldProps) {
  const rules = useAlertRules();
  const known = [...new Set(rules.data?.map(({ model_id }) => model_id))].slice(0, 50);
  return (
    <div className="model-field">
      <TextField
        label="Model"
        description="The UUID that the monitor uses for the model. To try the rule, any UUID works."
        suggestions={known}
        value={value}
        error={error}
        isDisabled={isDisabled}
        onChange={onChange}
      />
      {!isDisabled && value === '' && (
        <Button onPress={() => onChange(crypto.randomUUID())}>Generate an id</Button>
      )}
    </div>
  );
}
