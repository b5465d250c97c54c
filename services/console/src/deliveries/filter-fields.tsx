import type { AlertRule, Webhook } from '@tocsin/client/browser';
import { TimeFields } from '../shared/time-fields.js';
import { deliveryStatusWords } from '../shared/words.js';
import { AddressField, SelectField, type useSearch } from '../ui/index.js';
import type { FilterName } from './filters.js';

export interface FilterFieldsProps {
  search: ReturnType<typeof useSearch<FilterName>>;
  webhooks: readonly Webhook[];
  rules: readonly AlertRule[];
}

export function FilterFields({ search: { values, set }, webhooks, rules }: FilterFieldsProps) {
  const any = { value: '', label: 'Any' };
  const named = (items: readonly { id: string; name: string }[], selected: string | undefined) => {
    const options = items.map(({ id, name }) => ({ value: id, label: name }));
    const isKnown = selected === undefined || items.some(({ id }) => id === selected);
    return [any, ...options, ...(isKnown ? [] : [{ value: selected, label: `${selected} (deleted)` }])];
  };
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
        options={named(webhooks, values.webhook_id)}
        onChange={(webhook_id) => set({ webhook_id })}
      />
      <SelectField
        label="Alert rule"
        value={values.alert_rule_id ?? ''}
        options={named(rules, values.alert_rule_id)}
        onChange={(alert_rule_id) => set({ alert_rule_id })}
      />
      <AddressField
        label="Status code of the response"
        inputMode="numeric"
        maxLength={3}
        value={values.status_code ?? ''}
        onChange={(text) => set({ status_code: text.replaceAll(/\D/g, '') })}
      />
      <TimeFields since={values.since} until={values.until} onChange={set} />
    </>
  );
}
