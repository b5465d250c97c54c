interface Named {
  id: string;
  name: string;
}

/**
 * Returns the options of a filter by resource, starting with `Any`. A chosen resource that is not among `items` counts
 * as deleted and is shown with its id.
 */
export function namedOptions(items: readonly Named[], selected: string | undefined) {
  const isKnown = selected === undefined || items.some(({ id }) => id === selected);
  return [
    { value: '', label: 'Any' },
    ...items.map(({ id, name }) => ({ value: id, label: name })),
    ...(isKnown ? [] : [{ value: selected, label: `${selected} (deleted)` }]),
  ];
}
