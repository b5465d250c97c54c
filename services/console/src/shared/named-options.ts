interface Named {
  id: string;
  name: string;
}

/**
 * Returns the options of a filter by resource, starting with `Any`. A deleted resource has no name, so its id is shown.
 */
export function namedOptions(items: readonly Named[], selected: string | undefined) {
  const isKnown = selected === undefined || items.some(({ id }) => id === selected);
  return [
    { value: '', label: 'Any' },
    ...items.map(({ id, name }) => ({ value: id, label: name })),
    ...(isKnown ? [] : [{ value: selected, label: `${selected} (deleted)` }]),
  ];
}
