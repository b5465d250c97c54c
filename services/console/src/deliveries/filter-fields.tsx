import type { AlertRule, Webhook } from '@tocsin/client/browser';
import { TimeFields } from '../shared/time-fields.js';
import { deliveryStatusWords, errorCodeWords } from '../shared/words.js';
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
  /** These filters need a time range; the API accepts 31 days. */
  const setSearch = (changes: Partial<Record<FilterName, string>>) => {
    const needsSince = values.since === undefined && Object.values(changes).some((value) => value !== '');
    set({ ...changes, ...(needsSince && { since: weekAgo() }) });
  };
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
      <SelectField
        label="Error"
        value={values.error_code ?? ''}
        options={[any, ...errors]}
        onChange={(error_code) => setSearch({ error_code })}
      />
      <AddressField
        label="Label of the alert, as name:value"
        value={values.label ?? ''}
        onChange={(label) => setSearch({ label })}
      />
      <AddressField
        label="Model id of the alert"
        maxLength={36}
        value={values.model_id ?? ''}
        onChange={(model_id) => setSearch({ model_id })}
      />
      <TimeFields since={values.since} until={values.until} onChange={set} />
    </>
  );
}

const weekMs = 7 * 86_400_000;

function weekAgo(): string {
  return new Date(Date.now() - weekMs).toISOString();
}
