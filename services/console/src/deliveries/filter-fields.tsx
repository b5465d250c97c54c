import type { AlertRule, Webhook } from '@tocsin/client/browser';
import { AlertSearchFields, setWithSince } from '../shared/alert-search-fields.js';
import { namedOptions } from '../shared/named-options.js';
import { TimeFields } from '../shared/time-fields.js';
import { deliveryStatusWords, errorCodeWords } from '../shared/words.js';
import { AddressField, type Search, SelectField } from '../ui/index.js';
import type { FilterName } from './filters.js';

export interface FilterFieldsProps {
  search: Search<FilterName>;
  webhooks: readonly Webhook[];
  rules: readonly AlertRule[];
}

export function FilterFields({ search, webhooks, rules }: FilterFieldsProps) {
  const { values, set } = search;
  const any = { value: '', label: 'Any' };
  const errors = Object.entries(errorCodeWords).map(([value, label]) => ({ value, label }));
  const statuses = Object.entries(deliveryStatusWords).map(([value, { label }]) => ({ value, label }));
  return (
    <>
      <SelectField
        label="State"
        value={values.status ?? ''}
        options={[any, ...statuses]}
        onChange={(status) => set({ status })}
      />
      <SelectField
        label="Webhook"
        value={values.webhook_id ?? ''}
        options={namedOptions(webhooks, values.webhook_id)}
        onChange={(webhook_id) => set({ webhook_id })}
      />
      <SelectField
        label="Alert rule"
        value={values.alert_rule_id ?? ''}
        options={namedOptions(rules, values.alert_rule_id)}
        onChange={(alert_rule_id) => set({ alert_rule_id })}
      />
      <AddressField
        label="Status code of the response"
        inputMode="numeric"
        maxLength={3}
        value={values.status_code ?? ''}
        onChange={(text) => set({ status_code: text.replaceAll(/\D/g, '') })}
      />
      <SelectField
        label="Error"
        value={values.error_code ?? ''}
        options={[any, ...errors]}
        onChange={(error_code) => setWithSince(search, { error_code })}
      />
      <AlertSearchFields search={search} />
      <TimeFields search={search} />
    </>
  );
}
