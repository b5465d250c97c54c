import type { AlertRule, Webhook } from '@tocsin/client/browser';
import { AlertSearchFields, setWithSince } from '../shared/alert-search-fields.js';
import { FilterSelect, namedOptions, wordOptions } from '../shared/filter-select.js';
import { TimeFields } from '../shared/time-fields.js';
import { deliveryStatusWords, errorCodeWords } from '../shared/words.js';
import { AddressField, type Search } from '../ui/index.js';
import type { FilterName, FilterValues } from './filters.js';

export interface FilterFieldsProps {
  search: Search<FilterName>;
  /** Undefined if the list is not loaded. */
  webhooks: readonly Webhook[] | undefined;
  /** Undefined if the list is not loaded. */
  rules: readonly AlertRule[] | undefined;
}

export function FilterFields({ search, webhooks, rules }: FilterFieldsProps) {
  const { values, set } = search;
  // The API accepts a filter for the error only with a time range. Choosing an error therefore also sets a time range
  // if the search has none.
  const searchWithSince = { values, set: (changes: FilterValues) => setWithSince(search, changes) };
  return (
    <>
      <FilterSelect search={search} name="status" label="State" options={wordOptions(deliveryStatusWords)} />
      <FilterSelect
        search={search}
        name="webhook_id"
        label="Webhook"
        options={namedOptions(webhooks, values.webhook_id)}
      />
      <FilterSelect
        search={search}
        name="alert_rule_id"
        label="Alert rule"
        options={namedOptions(rules, values.alert_rule_id)}
      />
      <AddressField
        label="Status code of the response"
        inputMode="numeric"
        maxLength={3}
        value={values.status_code ?? ''}
        onChange={(text) => set({ status_code: text.replaceAll(/\D/g, '') })}
      />
      <FilterSelect
        search={searchWithSince}
        name="error_code"
        label="Error"
        options={wordOptions(errorCodeWords)}
      />
      <AlertSearchFields search={search} />
      <TimeFields search={search} />
    </>
  );
}
