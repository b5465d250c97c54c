import { TextField } from '../ui/index.js';
import type { OptionTexts } from './delivery-options.js';

export interface DeliveryOptionsFieldsProps {
  texts: OptionTexts;
  errors: Partial<Record<keyof OptionTexts, string>>;
  onChange(texts: OptionTexts): void;
}

/** Fields for the optional settings of a webhook. */
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
      <summary>Timeout, retries, rate limit and ids</summary>
      <div className="option-fields">
        {field('timeoutSeconds', 'Timeout in seconds', '1 to 20; 10 if empty.')}
        {field(
          'retrySeconds',
          'Retries after seconds',
          'For example 5, 30, 120, or none. Empty: the schedule of the deployment.',
        )}
        {field('rateRequests', 'Rate limit: requests', 'In each period; no limit if empty.')}
        {field('ratePeriodSeconds', 'Rate limit: period in seconds', '1 to 3,600.')}
        {field(
          'idempotencyHeader',
          'Header for the delivery id',
          'For example Idempotency-Key. All attempts have the same id. Empty: not sent.',
        )}
        {field(
          'externalId',
          'External id',
          'Optional. Your own id for the webhook, used in files and scripts.',
        )}
      </div>
    </details>
  );
}
