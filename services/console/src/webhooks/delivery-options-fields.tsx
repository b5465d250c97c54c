import { TextField } from '../ui/index.js';
import type { OptionTexts } from './delivery-options.js';

export interface DeliveryOptionsFieldsProps {
  texts: OptionTexts;
  errors: Partial<Record<keyof OptionTexts, string>>;
  onChange(texts: OptionTexts): void;
}

/** Settings that most webhooks leave at their defaults. */
export function DeliveryOptionsFields({ texts, errors, onChange }: DeliveryOptionsFieldsProps) {
  const field = (name: keyof OptionTexts, label: string, description: string) => (
    <TextField
      label={label}
      description={description}
      value={texts[name]}
      error={errors[name]}
      onChange={(text) => onChange({ ...texts, [name]: text })}
    />
  );
  return (
    <details className="options" open={Object.keys(errors).length > 0 || undefined}>
      <summary>Time limit, retries, rate and ids</summary>
      <div className="option-fields">
        {field('timeoutSeconds', 'Time limit in seconds', '1 to 20; 10 if empty.')}
        {field(
          'retrySeconds',
          'Retries after seconds',
          'Such as 5, 30, 120, or none. If empty, the schedule of the deployment.',
        )}
        {field('rateRequests', 'Most requests', 'In the period; no limit if empty.')}
        {field('ratePeriodSeconds', 'Period in seconds', '1 to 3,600.')}
        {field(
          'idempotencyHeader',
          'Header for the delivery id',
          'Such as Idempotency-Key. The id is the same in all attempts; not sent if empty.',
        )}
        {field('externalId', 'External id', 'Your own id of the webhook, for files and scripts.')}
      </div>
    </details>
  );
}
