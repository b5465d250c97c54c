import { AddressField, type Search, uuidFormat } from '../ui/index.js';

/** Fields that filter a list by a label and by the model of the alert. */
export function AlertSearchFields({ search }: { search: Search<'label' | 'model_id' | 'since'> }) {
  const { label = '', model_id = '' } = search.values;
  return (
    <>
      <AddressField
        label="Label of the alert"
        format={labelFormat}
        value={label}
        onChange={(text) => setWithSince(search, { label: text })}
      />
      <AddressField
        label="Model id of the alert"
        format={uuidFormat}
        value={model_id}
        onChange={(text) => setWithSince(search, { model_id: text })}
      />
    </>
  );
}

const labelFormat = {
  pattern: /^[A-Za-z_][\w.-]{0,62}:/,
  hint: 'Write it as name:value, for example team:risk.',
};

/**
 * Sets filters that the API accepts only with a time range. If the search has no start time, the start is set to one
 * week ago.
 */
export function setWithSince<Name extends string>(
  { values, set }: Search<Name | 'since'>,
  changes: Partial<Record<Name, string>>,
): void {
  const needsSince = values.since === undefined && Object.values(changes).some((value) => value !== '');
  set({ ...changes, ...(needsSince && { since: new Date(Date.now() - weekMs).toISOString() }) });
}

const weekMs = 7 * 86_400_000;
