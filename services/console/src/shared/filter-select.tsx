import { type Search, SelectField, type SelectOption } from '../ui/index.js';

export interface FilterSelectProps<Name extends string> {
  search: Search<Name>;
  /** Name of the filter in the address of the page. */
  name: Name;
  label: string;
  options: readonly SelectOption[];
}

/** Field that chooses the value of a filter, or `Any`, which removes the filter. */
export function FilterSelect<Name extends string>({ search, name, label, options }: FilterSelectProps<Name>) {
  const changeTo = (value: string) => ({ [name]: value }) as Record<Name, string>;
  return (
    <SelectField
      label={label}
      value={search.values[name] ?? ''}
      options={[{ value: '', label: 'Any' }, ...options]}
      onChange={(value) => search.set(changeTo(value))}
    />
  );
}

/** Returns an option for each entry of `table`, which maps codes to labels. */
export function wordOptions(table: Readonly<Record<string, string | { label: string }>>): SelectOption[] {
  return Object.entries(table).map(([value, words]) => ({
    value,
    label: typeof words === 'string' ? words : words.label,
  }));
}

interface Named {
  id: string;
  name: string;
}

/**
 * Returns an option for each resource. `items` is undefined while the list is loading, if it could not be loaded, and
 * for users who may not read it. A chosen resource that is not among `items` gets an option with its id, and with the
 * word `deleted` if the list is known.
 */
export function namedOptions(
  items: readonly Named[] | undefined,
  selected: string | undefined,
): SelectOption[] {
  const isKnown = selected === undefined || items?.some(({ id }) => id === selected);
  return [
    ...(items ?? []).map(({ id, name }) => ({ value: id, label: name })),
    ...(isKnown
      ? []
      : [{ value: selected, label: items === undefined ? selected : `${selected} (deleted)` }]),
  ];
}

/**
 * Returns a function that converts an id to the name of its resource, or to the first eight characters of the id if the
 * resource is not among `items`.
 */
export function nameIn(items: readonly Named[] = []): (id: string) => string {
  const names = new Map(items.map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? id.slice(0, 8);
}
